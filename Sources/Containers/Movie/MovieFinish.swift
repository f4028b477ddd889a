import Media

extension OutputFile {
    /// Makes a plain movie of one whose complete index has been written, by one write of 16 bytes.
    ///
    /// The bytes lie within one disk sector: a power cut leaves the file the one thing or the other.
    /// - Parameters:
    ///   - offset: Where the index begins: the media data reach up to it.
    ///   - reservedOffset: Where the 16 bytes are.
    /// - Throws: "write", "fdatasync".
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
    /// Sets when each track ends, in its own ticks since T0, by its place; `nil` for the end of its last sample. A time code
    /// lasts as long as the longest.
    ///
    /// - Parameters:
    ///   - ends: By the tracks' places.
    ///   - mayStretch: Whether a track may be made to last longer than what was written of it.
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
