import MulticamMedia

/// One track of a movie during the recording. The track consists of pending samples, which are written with
/// the next fragment, and the index of the samples that are already in the file.
struct RecordedTrack {
    let description: MovieTrack
    /// Number of the track in the file, starting at 1.
    let number: UInt32
    private(set) var pending: [Sample] = []
    private(set) var pendingByteCount = 0
    private(set) var index = SampleIndex()
    /// H.264 parameter sets.
    private(set) var configuration: DecoderConfiguration
    /// Offset in ticks that is added to decoding times in fragments to avoid negative values. The edit list
    /// subtracts this offset again.
    private(set) var fragmentShift: Int64 = 0
    private var lastDecode: Int64?
    /// Duration of the last appended packet in ticks; 0 before the first packet.
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

    /// Creates a track without pending samples. All samples are in the file and in `index`.
    init(_ description: MovieTrack, number: UInt32, configuration: DecoderConfiguration, index: SampleIndex) {
        self.description = description
        self.number = number
        self.configuration = configuration
        self.index = index
    }

    /// Whether all information that players need before they can decode the first sample is available.
    var isDescribed: Bool { !description.isH264 || configuration.isComplete }

    /// Total duration of the pending samples, in ticks.
    var pendingDuration: Int64 {
        guard !description.isTimecode, let first = pending.first, let last = pending.last else { return 0 }
        return last.decode + last.duration - first.decode
    }

    /// Decoding time of the last packet, relative to T0; `nil` before the first packet, and for a timecode
    /// track.
    var lastDecodeTime: Nanoseconds? {
        guard !description.isTimecode, let lastDecode else { return nil }
        return .seconds(rounding: Double(lastDecode) / Double(description.timeScale))
    }

    /// Appends a packet to the pending samples.
    ///
    /// - Returns: A sentence that describes the problem with the packet; `nil` if the packet is valid.
    mutating func append(_ packet: EncodedPacket) -> String? {
        if let lastDecode, packet.decode <= lastDecode {
            return
                "track \(number): packets are out of order (tick \(packet.decode) after tick \(lastDecode))."
        }
        guard packet.presentation >= packet.decode, packet.duration >= 0 else {
            return
                "track \(number): a packet has the presentation tick \(packet.presentation), which is before its decoding tick \(packet.decode)."
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

    /// Sets the position of T0 on the decoding timeline of the fragments, based on the first packet or the
    /// announced encoder priming.
    mutating func fixFragmentShift() {
        let announced: Int64 =
            if case .audio(let parameters, _) = description { -parameters.priming } else { 0 }
        fragmentShift = max(0, -(pending.first?.decode ?? announced))
    }

    /// Increases `fragmentShift` if the first packet of a late track has an earlier decoding time than
    /// announced, because decoding times in fragments can't be negative.
    mutating func raiseFragmentShift() {
        if let first = pending.first { fragmentShift = max(fragmentShift, -first.decode) }
    }

    /// Moves the pending samples to the index after they were written to the file starting at `offset`.
    mutating func commitPending(at offset: Int64) {
        index.append(pending, at: offset)
        dropPending()
    }

    /// Moves the positions of all samples by a number of bytes.
    mutating func moveSamples(by byteCount: Int64) { index.moveSamples(by: byteCount) }

    /// Discards the pending samples.
    mutating func dropPending() {
        pending.removeAll(keepingCapacity: true)
        pendingByteCount = 0
    }

    /// Upper bound on the size of the track in the final index, in bytes. The size includes the sample table
    /// with the pending samples, and 2 KiB for all other boxes.
    var finishingByteCount: Int64 {
        index.tableByteCount + Int64(pending.count) * SampleIndex.maxBytesPerSample + 2048
    }

    /// Shortens or extends the last pending sample so that it ends at `end`, in ticks relative to T0. If the
    /// last samples are reordered, nothing is changed.
    mutating func setPendingEnd(_ end: Int64) {
        guard let last = pending.indices.last, pending[last].presentation == pending[last].decode,
            end > pending[last].decode
        else { return }
        pending[last].duration = end - pending[last].decode
    }

    /// Sets the end of the track, in ticks relative to T0. Call this function only when no samples are
    /// pending.
    mutating func setEnd(_ end: Int64) {
        index.setEnd(end)
    }
}

extension OutputFile {
    /// Converts a fragmented movie with a complete index to a plain movie, using a single write of 16 bytes.
    ///
    /// The 16 bytes are within one disk sector, so after a power loss the file is either fragmented or plain.
    /// - Parameters:
    ///   - offset: Byte offset of the index, which is the end of the media data.
    ///   - reservedOffset: Byte offset of the 16 reserved bytes.
    /// - Throws: `FileError` with the operation "writing" or "fdatasync".
    func activateIndex(indexAt offset: Int64, reservedOffset: Int64) throws(FileError) {
        try makeDurable()
        // The header of a large `mdat` box consists of the size 1, the type, and the 64-bit size (ISO/IEC
        // 14496-12, 4.2).
        var head = BoxBuffer()
        head.put32(1)
        head.put(code: "mdat")
        head.put64(UInt64(offset - reservedOffset))
        try write(head.bytes, at: reservedOffset)
        try makeDurable()
    }
}

extension [RecordedTrack] {
    /// Sets the end of each track. A timecode track gets the duration of the longest track.
    ///
    /// - Parameters:
    ///   - ends: End of each track, by track index, in track ticks relative to T0; `nil` for the end of the
    ///     last sample.
    ///   - mayStretch: Whether a track's end may be later than the end of its last sample.
    mutating func setEnds(_ ends: [Int64?], mayStretch: Bool) {
        for (index, end) in zip(indices, ends) {
            guard let end else { continue }
            self[index].setEnd(mayStretch ? end : Swift.min(end, self[index].index.end))
        }
        let seconds = map { Double($0.index.end) / Double($0.description.timeScale) }.max() ?? 0
        for index in indices where self[index].description.isTimecode {
            let timeScale = Double(self[index].description.timeScale)
            self[index].setEnd(Swift.max(self[index].index.end, Int64(rounding: seconds * timeScale)))
        }
    }
}
