import Media

extension ScriptedDelivery.Rules {
    /// For `rate` frames or samples per second, of which `slotLength` are delivered together.
    init(
        _ behavior: DeviceBehavior, role: String, rate: FrameRate, slotLength: Int64 = 1,
        corruptShare: Double = 0
    ) {
        let choices = SeededChoices(seed: behavior.seed, role: role)
        let slot = FrameRate(rate.frames, per: rate.seconds * slotLength).interval
        self.init(
            timebase: DeviceTimebase(
                rate: rate, driftPerBillion: behavior.driftPerBillion,
                phase: behavior.phase ?? choices.length(.phase, below: slot)),
            slotLength: slotLength, latency: behavior.latency, dropShare: behavior.dropShare,
            corruptShare: corruptShare, faults: behavior.faults, choices: choices)
    }
}
