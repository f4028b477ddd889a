import Media

extension [PlacedSample] {
    /// The largest number of ticks that all durations are multiples of, but for the last, which may be cut. 0 without samples.
    var interval: Int64 {
        let durations = count > 1 ? dropLast() : self[...]
        return durations.reduce(0) { divisor, sample in
            var (a, b) = (divisor, sample.duration)
            while b != 0 { (a, b) = (b, a % b) }
            return a
        }
    }

    /// Where samples are missing between others, which last until the next one instead: the disk was too slow for them.
    ///
    /// - Parameter interval: Between two frames, of which each lasts a multiple of it.
    /// - Returns: In ticks since T0.
    func holes(interval: Int64) -> [Range<Int64>] {
        guard interval > 0 else { return [] }
        return dropLast().filter { $0.duration > interval }.map { $0.presentation + interval..<$0.end }
    }

    /// How many samples, in decoding order, can be shown without a hole in time: frames that are shown later than others are
    /// decoded before them, and those others may be missing.
    ///
    /// - Parameter interval: Between two frames.
    /// - Returns: All of them, where nothing is missing.
    func prefixWithoutHole(interval: Int64) -> Int {
        guard interval > 0, contains(where: { $0.compositionOffset != 0 }),
            let first = map(\.presentation).min()
        else { return count }
        var (last, best) = (first, count)
        // No coder holds back more than this; where no such place is found, the stream has holes of its own.
        let earliest = count - 32
        for (index, sample) in enumerated() {
            last = Swift.max(last, sample.presentation)
            if index >= earliest, (last - first) / interval == Int64(index) { best = index + 1 }
        }
        return best
    }

    /// What a damaged file says of another track's length may be years. More than four hours of frames or three of audio are not
    /// filled: the last sample lasts until then.
    private static var mostFilled: Int64 { 500_000 }

    /// Makes the row end at a time: what is shown later is left out from the end; what is missing is filled.
    ///
    /// - Parameters:
    ///   - end: In ticks since T0.
    ///   - codec: Of JPEG, the last frame is named again; of AAC, packets of silence. Else nothing is added.
    ///   - silence: Bytes that follow the file's own; those of silence are added once.
    ///   - channels: Of audio.
    ///   - start: Where those bytes will be.
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
