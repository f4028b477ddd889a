import MulticamMedia

/// A codec factory with one call that fails, returns nothing, or returns a wrong result.
struct FaultyMachinery: CodecFactory {
    let codecs: any CodecFactory
    let plan: FaultPlan
    /// The camera for each frame size.
    let roles: [FrameSize: String]

    static let make = ["throws"]

    func makeVideoEncoder(
        _ settings: VideoEncodingSettings, name: String
    ) throws(EncodingError) -> sending any VideoEncoding {
        try plan.mayThrow("make.encoder.\(name)")
        return FaultyVideoEncoder(
            try codecs.makeVideoEncoder(settings, name: name), name: name, plan: plan)
    }

    func makeAudioEncoder(
        channels: Int, bitrate: Int, name: String
    ) throws(EncodingError) -> sending any AudioEncoding {
        try plan.mayThrow("make.sound.\(name)")
        return FaultyAudioEncoder(
            try codecs.makeAudioEncoder(channels: channels, bitrate: bitrate, name: name), name: name,
            plan: plan)
    }

    func makeResampler(
        from format: AudioFormat, name: String
    ) throws(EncodingError) -> sending any Resampling {
        try plan.mayThrow("make.resampler.\(name)")
        return FaultyResampler(
            try codecs.makeResampler(from: format, name: name), name: name, plan: plan)
    }

    func makeLoudnessMeter(
        channels: Int, name: String
    ) throws(EncodingError) -> sending any LoudnessMetering {
        try plan.mayThrow("make.meter.\(name)")
        return FaultyMeter(
            try codecs.makeLoudnessMeter(channels: channels, name: name), name: name, plan: plan)
    }

    func makeSoundFilters(
        _ processing: SoundProcessing, channels: Int, name: String
    ) throws(EncodingError) -> sending any SoundFiltering {
        try plan.mayThrow("make.filters.\(name)")
        return try codecs.makeSoundFilters(processing, channels: channels, name: name)
    }

    func makeVideoDecoder(name: String) throws(EncodingError) -> sending any VideoDecoding {
        try plan.mayThrow("make.decoder.\(name)")
        return FaultyDecoder(try codecs.makeVideoDecoder(name: name), name: name, plan: plan)
    }

    func makeSlate(
        like frame: CapturedFrame, caption: SlateCaption
    ) throws(EncodingError) -> SharedBytes {
        let kind = plan.next("slate.\(caption.role)")
        if kind == "throws" { throw .injected }
        let slate = try codecs.makeSlate(like: frame, caption: caption)
        return kind.map { InvalidValues.damaged($0, slate, seed: plan.seed) } ?? slate
    }

    var slateTextProblem: String? {
        plan.next("shortcoming") == nil ? codecs.slateTextProblem : "there are no fonts.\n\u{1B}[2J"
    }

    func isWholeJPEG(_ bytes: SharedBytes, size: FrameSize) -> Bool {
        let isWhole = codecs.isWholeJPEG(bytes, size: size)
        let role = roles[size] ?? "other"
        return plan.next("whole.\(role)") == nil ? isWhole : !isWhole
    }

    func convert(
        _ frame: CapturedFrame, to pixel: PixelFormat, part: FramePart?, size: FrameSize?
    ) throws(EncodingError) -> CapturedFrame {
        let role = roles[frame.size] ?? "other"
        let kind = plan.next("convert.\(role)")
        if kind == "throws" { throw .injected }
        let converted = try codecs.convert(frame, to: pixel, part: part, size: size)
        return kind.map { converted.changed($0, seed: plan.seed) } ?? converted
    }

    func makeComposer(
        size: FrameSize, color: ColorDescription, name: String
    ) throws(EncodingError) -> sending any FrameComposing {
        try codecs.makeComposer(size: size, color: color, name: name)
    }

    func makeStill(of frame: CapturedFrame) throws(EncodingError) -> SharedBytes {
        let role = roles[frame.size] ?? "other"
        let kind = plan.next("still.\(role)")
        if kind == "throws" { throw .injected }
        let still = try codecs.makeStill(of: frame)
        return kind.map { InvalidValues.damaged($0, still, seed: plan.seed) } ?? still
    }
}

extension EncodingError {
    static let injected = EncodingError(
        subject: "injected", operation: "working", reason: "it was told to fail")
}

extension FaultPlan {
    /// Performs a call that can only fail.
    func mayThrow(_ seam: String) throws(EncodingError) {
        if next(seam) != nil { throw .injected }
    }

    /// Performs a call that returns packets.
    func packets(
        _ seam: String, _ body: () throws(EncodingError) -> [EncodedPacket]
    ) throws(EncodingError) -> [EncodedPacket] {
        let kind = next(seam)
        if kind == "throws" { throw .injected }
        let packets = try body()
        return kind.map { changed(packets, $0) } ?? packets
    }

    static let packetKinds =
        ["throws", "nothing", "twice", "turned", "notKey", "noDuration", "longDuration"]
        + InvalidValues.damages
        + ["presentation", "decode"].flatMap { field in InvalidValues.numbers.map { "\(field)-\($0)" } }

    func changed(_ packets: [EncodedPacket], _ kind: String) -> [EncodedPacket] {
        switch kind {
        case "nothing": return []
        case "twice": return packets + packets
        case "turned": return packets.reversed()
        default: break
        }
        return packets.map { packet in
            let parts = kind.split(separator: "-").map(String.init)
            let number = parts.count == 2 ? InvalidValues.number(parts[1]) : 0
            let bytes =
                InvalidValues.damages.contains(kind)
                ? InvalidValues.damaged(kind, packet.bytes, seed: seed) : packet.bytes
            return EncodedPacket(
                bytes: bytes, presentation: parts[0] == "presentation" ? number : packet.presentation,
                decode: parts[0] == "decode" ? number : packet.decode,
                duration: ["noDuration": 0, "longDuration": .max][kind] ?? packet.duration,
                isKey: kind == "notKey" ? false : packet.isKey)
        }
    }
}
