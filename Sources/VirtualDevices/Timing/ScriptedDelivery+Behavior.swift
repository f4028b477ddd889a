import Media

extension ScriptedDelivery.Rules {
    /// Derives the rules from a device's behavior.
    ///
    /// - Parameters:
    ///   - behavior: The parsed part of the selector that cameras and microphones share.
    ///   - role: The role in the profile; random choices depend on it.
    ///   - rate: Nominal frames or samples per second.
    ///   - slotLength: Frames or samples that are delivered together.
    ///   - corruptShare: Share of the slots that arrive damaged, 0…1.
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
