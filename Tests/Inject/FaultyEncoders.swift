import MulticamMedia

/// A video encoder that fails at one of its calls, or returns invalid packets.
final class FaultyVideoEncoder: VideoEncoding {
    static let kinds = FaultPlan.packetKinds + ["damaged", "damagedNegative"]

    private let encoder: any VideoEncoding
    private let name: String
    private let plan: FaultPlan

    init(_ encoder: any VideoEncoding, name: String, plan: FaultPlan) {
        self.encoder = encoder
        self.name = name
        self.plan = plan
    }

    var parameters: StreamParameters { encoder.parameters.changed(plan.next("parameters.\(name)")) }
    var hardware: HardwareEncoder? { encoder.hardware }
    func dequeueFallback() -> EncoderFallback? { encoder.dequeueFallback() }
    func requestKeyFrame() { if plan.next("key.\(name)") == nil { encoder.requestKeyFrame() } }

    func encode(_ layers: [FrameLayer], tick: Int64) throws(EncodingError) -> EncodedFrames {
        try frames("encoder.\(name)") { () throws(EncodingError) in
            try encoder.encode(layers, tick: tick)
        }
    }

    func repeatLast(tick: Int64) throws(EncodingError) -> EncodedFrames {
        try frames("repeat.\(name)") { () throws(EncodingError) in try encoder.repeatLast(tick: tick) }
    }

    func changePreset(to preset: VideoEncodingSettings.Preset) throws(EncodingError) -> [EncodedPacket] {
        try plan.packets("preset.\(name)") { () throws(EncodingError) in try encoder.changePreset(to: preset)
        }
    }

    func finish(unless isAbandoned: () -> Bool) throws(EncodingError) -> [EncodedPacket] {
        try plan.packets("finish.\(name)") { () throws(EncodingError) in
            try encoder.finish(unless: isAbandoned)
        }
    }

    private func frames(
        _ seam: String, _ body: () throws(EncodingError) -> EncodedFrames
    ) throws(EncodingError) -> EncodedFrames {
        let kind = plan.next(seam)
        if kind == "throws" { throw .injected }
        let result = try body()
        guard let kind else { return result }
        let damaged = ["damaged": [99], "damagedNegative": [-1]][kind] ?? result.damagedLayers
        return EncodedFrames(packets: plan.changed(result.packets, kind), damagedLayers: damaged)
    }
}

extension StreamParameters {
    static let kinds = ["noSetup", "garbageSetup", "noPlace"]

    func changed(_ kind: String?) -> StreamParameters {
        guard let kind else { return self }
        let setup =
            switch kind {
            case "noSetup": [UInt8]()
            case "garbageSetup": Array(InvalidValues.bytes(setup.count, seed: 1).bytes)
            default: setup
            }
        return StreamParameters(
            codec: codec, timeScale: timeScale, setup: setup,
            size: kind == "noPlace" && audio == nil ? FrameSize(width: 0, height: 0) : size, rate: rate,
            color: color, audio: audio, priming: priming)
    }
}

/// An audio encoder that fails, or returns invalid packets.
final class FaultyAudioEncoder: AudioEncoding {
    private let encoder: any AudioEncoding
    private let name: String
    private let plan: FaultPlan

    init(_ encoder: any AudioEncoding, name: String, plan: FaultPlan) {
        self.encoder = encoder
        self.name = name
        self.plan = plan
    }

    var parameters: StreamParameters { encoder.parameters.changed(plan.next("parameters.sound.\(name)")) }

    func encode(_ samples: [Float]) throws(EncodingError) -> [EncodedPacket] {
        try plan.packets("sound.\(name)") { () throws(EncodingError) in try encoder.encode(samples) }
    }

    func finish() throws(EncodingError) -> [EncodedPacket] {
        try plan.packets("finish.sound.\(name)") { () throws(EncodingError) in try encoder.finish() }
    }
}

/// A resampler that fails, or returns invalid audio.
final class FaultyResampler: Resampling {
    static let kinds = ["throws", "nothing", "twice"] + InvalidValues.audioBlocks

    private let resampler: any Resampling
    private let name: String
    private let plan: FaultPlan

    init(_ resampler: any Resampling, name: String, plan: FaultPlan) {
        self.resampler = resampler
        self.name = name
        self.plan = plan
    }

    func correct(partsPerMillion: Double) throws(EncodingError) {
        try plan.mayThrow("correct.\(name)")
        try resampler.correct(partsPerMillion: partsPerMillion)
    }

    func convert(_ samples: [Float]) throws(EncodingError) -> [Float] {
        try audio("resampler.\(name)") { () throws(EncodingError) in try resampler.convert(samples) }
    }

    func drain() throws(EncodingError) -> [Float] {
        try audio("drain.\(name)") { () throws(EncodingError) in try resampler.drain() }
    }

    var delay: Nanoseconds {
        plan.next("delay.\(name)").map { Nanoseconds(InvalidValues.number($0)) } ?? resampler.delay
    }

    private func audio(
        _ seam: String, _ body: () throws(EncodingError) -> [Float]
    ) throws(EncodingError) -> [Float] {
        let kind = plan.next(seam)
        if kind == "throws" { throw .injected }
        let samples = try body()
        return switch kind {
        case nil: samples
        case "nothing"?: []
        case "twice"?: samples + samples
        case let kind?: InvalidValues.samples(kind, samples)
        }
    }
}

/// A loudness meter that fails, or returns impossible values.
final class FaultyMeter: LoudnessMetering {
    static let kinds = ["nan", "infinite", "nothing"]

    private let meter: any LoudnessMetering
    private let name: String
    private let plan: FaultPlan

    init(_ meter: any LoudnessMetering, name: String, plan: FaultPlan) {
        self.meter = meter
        self.name = name
        self.plan = plan
    }

    func add(_ samples: [Float]) throws(EncodingError) {
        try plan.mayThrow("meter.\(name)")
        try meter.add(samples)
    }

    var momentary: Double? { measured("momentary.\(name)", meter.momentary) }

    var loudness: Loudness {
        guard let kind = plan.next("loudness.\(name)") else { return meter.loudness }
        let value = Self.value(kind)
        return Loudness(momentary: value, shortTerm: value, integrated: value, range: value, truePeak: value)
    }

    private func measured(_ seam: String, _ value: Double?) -> Double? {
        plan.next(seam).map(Self.value) ?? value
    }

    private static func value(_ kind: String) -> Double? {
        kind == "nan" ? .nan : kind == "infinite" ? -.infinity : nil
    }
}

/// A video decoder that fails, or returns invalid frames.
final class FaultyDecoder: VideoDecoding {
    static let kinds =
        ["throws", "nothing", "twice", "damaged", "otherSize"] + InvalidValues.times + InvalidValues.counts

    private let decoder: any VideoDecoding
    private let name: String
    private let plan: FaultPlan

    init(_ decoder: any VideoDecoding, name: String, plan: FaultPlan) {
        self.decoder = decoder
        self.name = name
        self.plan = plan
    }

    func decode(_ frame: CapturedFrame) throws(EncodingError) -> DecodedFrames {
        let kind = plan.next("decoder.\(name)")
        if kind == "throws" { throw .injected }
        let result = try decoder.decode(frame)
        switch kind {
        case nil: return result
        case "nothing"?: return DecodedFrames(ready: [], isDamaged: false)
        case "damaged"?: return DecodedFrames(ready: result.ready, isDamaged: true)
        case "twice"?: return DecodedFrames(ready: result.ready + result.ready, isDamaged: false)
        case let kind? where kind == "otherSize":
            // This is a different frame of another size, which is valid by itself.
            let (planes, count) = FramePlane.packed(.i420, FrameSize(width: 32, height: 32))
            let other = CapturedFrame(
                pixel: .i420, size: FrameSize(width: 32, height: 32), color: frame.color,
                capturedAt: frame.capturedAt, sequence: frame.sequence,
                memory: InvalidValues.bytes(count, seed: plan.seed), planes: planes, isOwned: true)
            return DecodedFrames(ready: [other], isDamaged: false)
        case let kind?:
            return DecodedFrames(
                ready: result.ready.map { $0.changed(kind, seed: plan.seed) }, isDamaged: result.isDamaged)
        }
    }
}
