public import Media

extension RecordedSession {
    /// Learns when the files of tracks that are not on a grid begin to show something. Pure.
    ///
    /// - Parameter start: Returns the time of the first frame that a file shows, since the file's time 0; `nil` where it cannot be read.
    /// - Returns: The session with these instants, and with each such file up to the next one's first frame.
    public func withFirstFrames(_ start: (SessionPart) -> MediaTime?) -> RecordedSession {
        var session = self
        for angle in session.angles.indices where !session.angles[angle].isOnGrid {
            var parts = session.angles[angle].parts
            // A frame is shown at the tick that is nearest.
            let early = MediaTime(nanoseconds: (session.angles[angle].rate ?? rate).interval.count / 2)
            for index in parts.indices {
                guard let time = start(parts[index]), time > early else { continue }
                let shown = MediaTime(
                    nanoseconds: parts[index].from.nanoseconds.addingReportingOverflow(time.nanoseconds)
                        .partialValue)
                guard shown > parts[index].from, shown < parts[index].to else { continue }
                // Between files of which one ended before the other began nothing was recorded.
                if index > 0, parts[index - 1].to == parts[index].from { parts[index - 1].to = shown }
                parts[index].firstFrame = shown
            }
            session.angles[angle].parts = parts
        }
        return session
    }
}
