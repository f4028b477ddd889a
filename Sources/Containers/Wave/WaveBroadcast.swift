internal import Media

/// Origin of a Broadcast Wave file (EBU Tech 3285, chunk `bext`).
public struct WaveBroadcast: Sendable, Equatable {
    /// Free text, at most 256 bytes of UTF-8; a longer one is cut.
    public let description: String
    /// Name of the recording, at most 32 bytes of UTF-8; a longer one is cut.
    public let reference: String
    /// Local date and time of day of the first sample.
    public let start: LocalTime

    /// Creates an origin.
    public init(description: String, reference: String, start: LocalTime) {
        self.description = description
        self.reference = reference
        self.start = start
    }

    /// Content of the chunk in version 1, without UMID and without loudness.
    func bytes(rate: Int, bits: Int, channels: Int) -> [UInt8] {
        var buffer: [UInt8] = []
        buffer.put(text: description, count: 256)
        buffer.put(text: "multicam", count: 32)
        buffer.put(text: reference, count: 32)
        buffer.put(
            text: "\(start.year.padded(4))-\(start.month.padded(2))-\(start.day.padded(2))", count: 10)
        buffer.put(
            text: "\(start.hour.padded(2)):\(start.minute.padded(2)):\(start.second.padded(2))", count: 8)
        buffer.put(little: UInt64(max(0, start.samples(rate: rate))))
        buffer.put(little: UInt16(1))  // version
        buffer.append(contentsOf: repeatElement(0, count: 64 + 190))  // UMID, reserved
        // The coding history (EBU R 98): lines of fields.
        let mode = channels == 1 ? "mono" : channels == 2 ? "stereo" : "multitrack"
        var history = "A=PCM,F=\(rate),W=\(bits),M=\(mode),T=multicam\r\n"
        if history.utf8.count % 2 != 0 { history += "\0" }
        buffer.append(contentsOf: history.utf8)
        return buffer
    }

}
