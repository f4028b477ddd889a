import Media

/// One track of a movie while it is recorded: what waits for the next fragment, and the index of what is in the file.
struct RecordedTrack {
    let description: MovieTrack
    /// Its number in the file, from 1.
    let number: UInt32
    private(set) var pending: [Sample] = []
    private(set) var pendingByteCount = 0
    private(set) var index = SampleIndex()
    /// H.264's parameter sets.
    private(set) var configuration: DecoderConfiguration
    /// What is added to decode times in fragments, so that none is below 0; the edit list takes it off again.
    private(set) var fragmentShift: Int64 = 0
    private var lastDecode: Int64?

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

    /// A track of which all that there will be is in the file.
    init(_ description: MovieTrack, number: UInt32, configuration: DecoderConfiguration, index: SampleIndex) {
        self.description = description
        self.number = number
        self.configuration = configuration
        self.index = index
    }

    /// Whether all is known that players must be told before the first sample.
    var isDescribed: Bool { !description.isH264 || configuration.isComplete }

    /// How much time waits for the next fragment, in ticks.
    var pendingDuration: Int64 {
        guard !description.isTimecode, let first = pending.first, let last = pending.last else { return 0 }
        return last.decode + last.duration - first.decode
    }

    /// How far its packets have come on its timeline of decoding; `nil` before the first, and of a track that has all from the
    /// beginning.
    var reached: Nanoseconds? {
        guard !description.isTimecode, let lastDecode else { return nil }
        return .seconds(rounding: Double(lastDecode) / Double(description.timeScale))
    }

    /// Takes a packet.
    ///
    /// - Returns: What is wrong with it, if anything is.
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
        pending.append(
            Sample(
                bytes: bytes, presentation: packet.presentation, decode: packet.decode,
                duration: packet.duration,
                isKey: packet.isKey || !description.isVideo))
        pendingByteCount += bytes.count
        return nil
    }

    /// Fixes the place of T0 on the timeline of the fragments, from the first packet or from what was announced.
    mutating func fixFragmentShift() {
        let announced: Int64 =
            if case .audio(let parameters, _) = description { -parameters.priming } else { 0 }
        fragmentShift = max(0, -(pending.first?.decode ?? announced))
    }

    /// A track that is late and began earlier than announced: its fragments cannot go below 0.
    mutating func raiseFragmentShift() {
        if let first = pending.first { fragmentShift = max(fragmentShift, -first.decode) }
    }

    /// Forgets what waited: it is in the file from `offset` on.
    mutating func commitPending(at offset: Int64) {
        index.append(pending, at: offset)
        dropPending()
    }

    /// Forgets what waited, for it cannot be written.
    mutating func dropPending() {
        pending.removeAll(keepingCapacity: true)
        pendingByteCount = 0
    }

    /// What the track takes in the index at the file's end, in bytes: its table, and less than 2 KiB for all that is said
    /// once.
    var finishingByteCount: Int64 {
        index.tableByteCount + Int64(pending.count) * SampleIndex.mostBytesPerSample + 2048
    }

    /// Makes the last sample that waits end at `end`, in ticks since T0, if nothing is reordered there.
    mutating func trimPending(to end: Int64) {
        guard let last = pending.indices.last, pending[last].presentation == pending[last].decode,
            end > pending[last].decode
        else { return }
        pending[last].duration = end - pending[last].decode
    }

    /// Sets when the track ends, in ticks since T0. To be called when nothing waits any more.
    mutating func setEnd(_ end: Int64) {
        index.setEnd(end)
    }
}
