extension Array<UInt8> {
    /// Appends a number with the lowest byte first, as RIFF files hold it.
    mutating func put(little value: some FixedWidthInteger) {
        Swift.withUnsafeBytes(of: value.littleEndian) { append(contentsOf: $0) }
    }

    /// Appends a text in a field of `count` bytes: cut between characters, or filled with zeros.
    mutating func put(text: String, count: Int) {
        var bytes: [UInt8] = []
        for character in text {
            guard bytes.count + character.utf8.count <= count else { break }
            bytes.append(contentsOf: character.utf8)
        }
        append(contentsOf: bytes)
        append(contentsOf: repeatElement(0, count: count - bytes.count))
    }

    /// Appends a RIFF chunk.
    mutating func put(chunk name: String, _ content: [UInt8]) {
        append(contentsOf: name.utf8)
        put(little: UInt32(content.count))
        append(contentsOf: content)
        if content.count % 2 != 0 { append(0) }
    }
}
