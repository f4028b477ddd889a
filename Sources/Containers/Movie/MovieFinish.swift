import Media

extension OutputFile {
    /// Turns a fragmented movie whose complete index has been written into a plain one, by one write of 16 bytes.
    ///
    /// These bytes lie within one disk sector: after a power cut the file is either fragmented or plain.
    /// - Parameters:
    ///   - offset: Offset of the index in bytes, at which the media data end.
    ///   - reservedOffset: Offset of the 16 bytes.
    /// - Throws: `FileError` "write" or "fdatasync".
    func bringIntoForce(indexAt offset: Int64, reservedOffset: Int64) throws(FileError) {
        try makeDurable()
        // A head of media data (ISO/IEC 14496-12, 4.2): size 1, then the size in 64 bits.
        var head = BoxBuffer()
        head.put32(1)
        head.put(code: "mdat")
        head.put64(UInt64(offset - reservedOffset))
        try write(head.bytes, at: reservedOffset)
        try makeDurable()
    }
}

extension [RecordedTrack] {
    /// Sets the end of each track. A time code track lasts as long as the longest track.
    ///
    /// - Parameters:
    ///   - ends: Ends by the tracks' indices, in their own ticks since T0; `nil` for the end of the last sample.
    ///   - mayStretch: Whether a track may last longer than its samples.
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
