import Media

/// One track of a movie while it is recorded: the samples that wait for the next fragment, and the index of those in the file.
struct RecordedTrack {
    let description: MovieTrack
    /// Number of the track in the file, from 1.
    let number: UInt32
    private(set) var pending: [Sample] = []
    private(set) var pendingByteCount = 0
    private(set) var index = SampleIndex()
    /// Parameter sets of H.264.
    private(set) var configuration: DecoderConfiguration
    /// Ticks that are added to decode times in fragments so that none is below 0; the edit list subtracts them again.
    private(set) var fragmentShift: Int64 = 0
    private var lastDecode: Int64?
    /// Duration of the last packet in ticks, 0 before the first.
    private(set) var lastDuration: Int64 = 0

    init(_ description: MovieTrack, number: UInt32) {
        self.description = description
        self.number = number
        switch description {
        case .video(let parameters, _, _), .audio(let parameters, _):
            configuration = DecoderConfiguration(setup: parameters.codec == .h264 ? parameters.setup : [])
        case .timecode(let timecode, _):
            configuration = DecoderConfiguration(setup: [])
            var sample = BoxBuffer()
            sample.put32(timecode.firstFrame)
            pending = [
                Sample(
                    bytes: SharedBytes(sample.bytes), presentation: 0, decode: 0,
                    duration: timecode.rate.seconds,
                    isKey: true)
            ]
            pendingByteCount = 4
        }
    }

    /// Creates a track whose samples are all in the file.
    init(_ description: MovieTrack, number: UInt32, configuration: DecoderConfiguration, index: SampleIndex) {
        self.description = description
        self.number = number
        self.configuration = configuration
        self.index = index
    }

    /// Whether everything is known that players need before the first sample.
    var isDescribed: Bool { !description.isH264 || configuration.isComplete }

    /// Length of the samples that wait for the next fragment, in ticks.
    var pendingDuration: Int64 {
        guard !description.isTimecode, let first = pending.first, let last = pending.last else { return 0 }
        return last.decode + last.duration - first.decode
    }

    /// Decode time of the last packet, since T0; `nil` before the first packet, and for a time code.
    var reached: Nanoseconds? {
        guard !description.isTimecode, let lastDecode else { return nil }
        return .seconds(rounding: Double(lastDecode) / Double(description.timeScale))
    }

    /// Takes a packet.
    ///
    /// - Returns: What is wrong with the packet, as a sentence; `nil` when nothing is.
    mutating func append(_ packet: EncodedPacket) -> String? {
        if let lastDecode, packet.decode <= lastDecode {
            return
                "track \(number): a packet for tick \(packet.decode) came after one for tick \(lastDecode)."
        }
        guard packet.presentation >= packet.decode, packet.duration >= 0 else {
            return
                "track \(number): a packet is shown at tick \(packet.presentation), before tick \(packet.decode), "
                + "when it is decoded."
        }
        guard packet.bytes.count < Int(UInt32.max) else {
            return "track \(number): a packet is larger than 4 GiB."
        }
        var bytes = packet.bytes
        if description.isH264 {
            if !configuration.isComplete {
                configuration = AccessUnit.configuration(configuration, with: bytes)
            }
            bytes = AccessUnit.sample(of: bytes, configuration: configuration)
        }
        if let last = pending.indices.last { pending[last].duration = packet.decode - pending[last].decode }
        lastDecode = packet.decode
        lastDuration = packet.duration
        pending.append(
            Sample(
                bytes: bytes, presentation: packet.presentation, decode: packet.decode,
                duration: packet.duration,
                isKey: packet.isKey || !description.isVideo))
        pendingByteCount += bytes.count
        return nil
    }

    /// Fixes the position of T0 on the timeline of the fragments, from the first packet or from the announced priming.
    mutating func fixFragmentShift() {
        let announced: Int64 =
            if case .audio(let parameters, _) = description { -parameters.priming } else { 0 }
        fragmentShift = max(0, -(pending.first?.decode ?? announced))
    }

    /// Corrects the shift for a track that is late and begins earlier than announced: decode times in fragments cannot be below
    /// 0.
    mutating func raiseFragmentShift() {
        if let first = pending.first { fragmentShift = max(fragmentShift, -first.decode) }
    }

    /// Moves the pending samples into the index: they lie in the file from `offset` on.
    mutating func commitPending(at offset: Int64) {
        index.append(pending, at: offset)
        dropPending()
    }

    /// Discards the pending samples.
    mutating func dropPending() {
        pending.removeAll(keepingCapacity: true)
        pendingByteCount = 0
    }

    /// Size of the track in the index at the file's end, in bytes: its table with the pending samples, and less than 2 KiB for
    /// the rest.
    var finishingByteCount: Int64 {
        index.tableByteCount + Int64(pending.count) * SampleIndex.mostBytesPerSample + 2048
    }

    /// Makes the last pending sample end at `end`, in ticks since T0, unless samples are reordered there.
    mutating func trimPending(to end: Int64) {
        guard let last = pending.indices.last, pending[last].presentation == pending[last].decode,
            end > pending[last].decode
        else { return }
        pending[last].duration = end - pending[last].decode
    }

    /// Sets the end of the track, in ticks since T0. Call it when no samples are pending.
    mutating func setEnd(_ end: Int64) {
        index.setEnd(end)
    }
}
