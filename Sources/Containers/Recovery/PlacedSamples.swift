import Media

extension [PlacedSample] {
    /// Largest number of ticks of which all durations are multiples, except the last, which may be cut. 0 without samples.
    var interval: Int64 {
        let durations = count > 1 ? dropLast() : self[...]
        return durations.reduce(0) { divisor, sample in
            var (a, b) = (divisor, sample.duration)
            while b != 0 { (a, b) = (b, a % b) }
            return a
        }
    }

    /// Stretches between samples for which samples are missing, since the disk was too slow: the sample before lasts longer.
    ///
    /// - Parameter interval: Ticks between two frames; each lasts a multiple of it.
    /// - Returns: Stretches in ticks since T0.
    func holes(interval: Int64) -> [Range<Int64>] {
        guard interval > 0 else { return [] }
        return dropLast().filter { $0.duration > interval }.map { $0.presentation + interval..<$0.end }
    }

    /// Number of samples, in decoding order, that can be shown without a hole in time. Frames that are shown later than others
    /// are decoded before them, and those others may be missing at the end.
    ///
    /// - Parameter interval: Ticks between two frames.
    /// - Returns: The number of all samples where nothing is missing.
    func prefixWithoutHole(interval: Int64) -> Int {
        guard interval > 0, contains(where: { $0.compositionOffset != 0 }),
            let first = map(\.presentation).min()
        else { return count }
        var (last, best) = (first, count)
        // No encoder holds back more than 32 frames; where no such place is found, the stream has holes of its own.
        let earliest = count - 32
        for (index, sample) in enumerated() {
            last = Swift.max(last, sample.presentation)
            if index >= earliest, (last - first) / interval == Int64(index) { best = index + 1 }
        }
        return best
    }

    /// Largest number of samples that are added at the end: more than four hours of frames or three of audio. A damaged file may
    /// claim years for another track; then the last sample lasts until that end.
    private static var mostFilled: Int64 { 500_000 }

    /// Makes the samples end at a time: samples that are shown later are removed, and missing ones are added.
    ///
    /// - Parameters:
    ///   - end: Time in ticks since T0.
    ///   - codec: Codec of the track. JPEG repeats its last frame, AAC gets packets of silence, and for other codecs nothing is
    ///     added.
    ///   - silence: Bytes that are to be appended to the file; a packet of silence is added to them once.
    ///   - channels: Number of audio channels.
    ///   - start: Offset in the file at which these bytes begin.
    mutating func end(
        at end: Int64, as codec: StreamParameters.Codec?, silence: inout [UInt8], channels: Int,
        startingAt start: Int64
    ) {
        while let last, last.presentation >= end, count > 1 { removeLast() }
        guard var next = last, next.end < end, next.duration > 0 else { return }
        let duration = codec == .mjpeg ? Swift.max(1, interval) : next.duration
        var decode = next.decode + next.duration
        guard (end - decode) / duration < Self.mostFilled else { return }
        switch codec {
        case .mjpeg: break
        case .aac:
            guard let packet = SilentPacket.bytes(channels: channels) else { return }
            next = PlacedSample(
                offset: start + Int64(silence.count), byteCount: UInt32(packet.count), decode: next.decode,
                compositionOffset: 0, duration: next.duration, isKey: true)
            silence += packet
        case .h264, nil: return
        }
        while decode < end {
            append(
                PlacedSample(
                    offset: next.offset, byteCount: next.byteCount, decode: decode, compositionOffset: 0,
                    duration: duration, isKey: true))
            decode += duration
        }
    }
}
