internal import CMulticamChecksum
internal import FoundationEssentials
internal import MulticamContainers
internal import MulticamMedia
internal import MulticamSessionFolder
internal import MulticamSystem

/// A ZIP archive of a session folder, created while it is sent (APPNOTE.TXT 6.3). There is no temporary file, and one piece of
/// one file is in memory at a time.
///
/// The files are stored without compression, because media files can't be compressed. The size of the archive is therefore
/// known in advance. The checksum of a file is known only after the file has been sent, so it follows the file's bytes in a
/// data descriptor. The local header nevertheless contains the size instead of the 0 that APPNOTE.TXT 4.4.4 requires:
/// programs that extract an archive from a stream otherwise can't find the end of a file stored without compression. Files
/// and archives of 4 GiB and more use ZIP64.
final class ZipArchive: DownloadContent {
    let byteCount: Int64
    /// The archive can only be read from the start to the end, because of the checksums.
    let tag: String? = nil
    let type = "application/zip"
    private let folder: ContainedFolder
    private let entries: [Entry]
    private let state = ConditionLock(State())

    /// A file of the archive.
    private struct Entry {
        let file: SessionFile
        /// Path in the archive.
        let name: [UInt8]
        /// Position of the local file header in the archive.
        let offset: Int64

        var isLarge: Bool { file.byteCount >= ZipArchive.limit }
        var headerByteCount: Int64 { Int64(30 + name.count) + (isLarge ? 20 : 0) }
        /// The checksum of an empty file is known in advance, so the file has no descriptor.
        var hasDescriptor: Bool { file.byteCount > 0 }
        var descriptorByteCount: Int64 { hasDescriptor ? isLarge ? 24 : 16 : 0 }
        var flags: UInt16 { (hasDescriptor ? ZipArchive.usesDescriptor : 0) | ZipArchive.usesUTF8 }
        var end: Int64 { offset + headerByteCount + file.byteCount + descriptorByteCount }
        /// Size of the entry in the central directory.
        var recordByteCount: Int64 {
            Int64(46 + name.count + largeFields.count * 8) + (largeFields.isEmpty ? 0 : 4)
        }
        /// The numbers in the ZIP64 field of the central directory: those that need more than 32 bits.
        var largeFields: [Int64] {
            (isLarge ? [file.byteCount, file.byteCount] : []) + (offset >= ZipArchive.limit ? [offset] : [])
        }
    }

    private struct State {
        /// Number of bytes that have been read.
        var position: Int64 = 0
        /// Index of the current file.
        var index = 0
        var open: RecordedFile?
        var unread: Int64 = 0
        var checksum: UInt32 = 0
        /// Bytes that precede everything else.
        var pending = Data()
        /// Checksum and modification date of each file that has been sent completely.
        var sent: [(checksum: UInt32, date: UInt32)] = []
        var hasDirectory = false
    }

    /// Numbers from this one on need ZIP64.
    fileprivate static let limit: Int64 = 0xFFFF_FFFF
    fileprivate static let usesDescriptor: UInt16 = 1 << 3
    fileprivate static let usesUTF8: UInt16 = 1 << 11
    private static let madeByUnix: UInt16 = 3 << 8
    private static let regularFile: UInt32 = 0o100644 << 16

    /// Creates an archive of a session folder.
    ///
    /// - Parameters:
    ///   - folder: The session folder.
    ///   - name: Name of the folder in the archive.
    init(_ folder: ContainedFolder, named name: String) {
        self.folder = folder
        var offset: Int64 = 0
        entries = SessionFile.list(in: folder).map { file in
            let entry = Entry(
                file: file, name: Array("\(name)/\(file.path)".utf8.prefix(0xFFFF)), offset: offset)
            offset = entry.end
            return entry
        }
        let directory = entries.reduce(0) { $0 + $1.recordByteCount }
        byteCount = offset + directory + Self.endByteCount(entries.count, directory, at: offset)
    }

    private static func needsLargeEnd(_ count: Int, _ directory: Int64, at offset: Int64) -> Bool {
        count >= 0xFFFF || directory >= limit || offset >= limit
    }

    private static func endByteCount(_ count: Int, _ directory: Int64, at offset: Int64) -> Int64 {
        needsLargeEnd(count, directory, at: offset) ? 56 + 20 + 22 : 22
    }

    // MARK: Reading

    func read(_ count: Int, at offset: Int64, dropsCache: Bool) -> Data? {
        state.withLock { state in
            guard offset == state.position else { return nil }
            var found = Data()
            while found.count < count, offset + Int64(found.count) < byteCount {
                if !state.pending.isEmpty {
                    let piece = state.pending.prefix(count - found.count)
                    found += piece
                    state.pending = Data(state.pending.dropFirst(piece.count))
                } else if !advance(&state, upTo: count - found.count, into: &found) {
                    return nil
                }
            }
            state.position += Int64(found.count)
            return found
        }
    }

    /// Appends bytes of the current file, or prepares the next header.
    ///
    /// - Returns: `false` if a file can't be read, or has another size than announced.
    private func advance(_ state: inout State, upTo count: Int, into found: inout Data) -> Bool {
        guard state.index < entries.count else {
            guard !state.hasDirectory else { return false }
            state.hasDirectory = true
            state.pending = directory(state.sent)
            return true
        }
        let entry = entries[state.index]
        guard let file = state.open else {
            guard let file = RecordedFile(entry.file.path, in: folder), file.byteCount == entry.file.byteCount
            else { return false }
            (state.open, state.unread, state.checksum) = (file, file.byteCount, .max)
            state.pending = header(of: entry, date: Self.date(file.modified))
            return true
        }
        guard state.unread > 0 else {
            let checksum = ~state.checksum
            state.sent.append((checksum, Self.date(file.modified)))
            if entry.hasDescriptor { state.pending = descriptor(of: entry, checksum) }
            state.open = nil
            state.index += 1
            return true
        }
        let start = file.byteCount - state.unread
        let wanted = Int(min(Int64(count), state.unread))
        guard let bytes = file.read(wanted, at: start, dropsCache: true), bytes.count == wanted else {
            return false
        }
        state.checksum = bytes.withUnsafeBytes {
            av_crc(av_crc_get_table(AV_CRC_32_IEEE_LE), state.checksum, $0.baseAddress, $0.count)
        }
        state.unread -= Int64(wanted)
        found += bytes
        return true
    }

    // MARK: Headers

    private func header(of entry: Entry, date: UInt32) -> Data {
        var data = Data()
        data.append(little: 0x0403_4B50 as UInt32)
        data.append(little: UInt16(entry.isLarge ? 45 : 20))  // required version
        data.append(little: entry.flags)
        data.append(little: 0 as UInt16)  // stored
        data.append(little: date)
        data.append(little: 0 as UInt32)  // the checksum follows in the descriptor
        let size = entry.isLarge ? UInt32.max : UInt32(entry.file.byteCount)
        data.append(little: size)
        data.append(little: size)
        data.append(little: UInt16(entry.name.count))
        data.append(little: UInt16(entry.isLarge ? 20 : 0))
        data.append(contentsOf: entry.name)
        if entry.isLarge { data.append(large: [entry.file.byteCount, entry.file.byteCount]) }
        return data
    }

    private func descriptor(of entry: Entry, _ checksum: UInt32) -> Data {
        var data = Data()
        data.append(little: 0x0807_4B50 as UInt32)
        data.append(little: checksum)
        for _ in 0..<2 {
            if entry.isLarge {
                data.append(little: UInt64(entry.file.byteCount))
            } else {
                data.append(little: UInt32(entry.file.byteCount))
            }
        }
        return data
    }

    private func directory(_ sent: [(checksum: UInt32, date: UInt32)]) -> Data {
        var data = Data()
        for (entry, (checksum, date)) in zip(entries, sent) {
            let large = entry.largeFields
            let version: UInt16 = large.isEmpty ? 20 : 45
            data.append(little: 0x0201_4B50 as UInt32)
            data.append(little: Self.madeByUnix | version)
            data.append(little: version)
            data.append(little: entry.flags)
            data.append(little: 0 as UInt16)
            data.append(little: date)
            data.append(little: checksum)
            let size = entry.isLarge ? UInt32.max : UInt32(entry.file.byteCount)
            data.append(little: size)
            data.append(little: size)
            data.append(little: UInt16(entry.name.count))
            data.append(little: UInt16(large.isEmpty ? 0 : 4 + large.count * 8))
            data.append(little: 0 as UInt16)  // no comment
            data.append(little: 0 as UInt16)  // first disk
            data.append(little: 0 as UInt16)  // binary
            data.append(little: Self.regularFile)
            data.append(little: UInt32(clamping: entry.offset))
            data.append(contentsOf: entry.name)
            if !large.isEmpty { data.append(large: large) }
        }
        let (size, offset) = (Int64(data.count), entries.last?.end ?? 0)
        let count = UInt64(entries.count)
        if Self.needsLargeEnd(entries.count, size, at: offset) {
            data.append(little: 0x0606_4B50 as UInt32)
            data.append(little: 44 as UInt64)  // size of the rest of this record
            data.append(little: Self.madeByUnix | 45)
            data.append(little: 45 as UInt16)
            data.append(little: 0 as UInt64)  // first disk
            for number in [count, count, UInt64(size), UInt64(offset)] { data.append(little: number) }
            data.append(little: 0x0706_4B50 as UInt32)
            data.append(little: 0 as UInt32)
            data.append(little: UInt64(offset + size))
            data.append(little: 1 as UInt32)
        }
        data.append(little: 0x0605_4B50 as UInt32)
        data.append(little: 0 as UInt32)  // first disk
        for _ in 0..<2 { data.append(little: UInt16(clamping: entries.count)) }
        data.append(little: UInt32(clamping: size))
        data.append(little: UInt32(clamping: offset))
        data.append(little: 0 as UInt16)  // no comment
        return data
    }

    /// Returns a modification date in MS-DOS format: the time of day in the low half, and the date in the high half.
    private static func date(_ seconds: Int) -> UInt32 {
        let date = LocalTime(Date(timeIntervalSince1970: Double(seconds)))
        let years = UInt32(min(max(date.year - 1980, 0), 127))
        let day = years << 9 | UInt32(date.month) << 5 | UInt32(date.day)
        return day << 16 | UInt32(date.hour) << 11 | UInt32(date.minute) << 5 | UInt32(date.second / 2)
    }
}

extension Data {
    /// Appends a number in little-endian byte order.
    fileprivate mutating func append(little number: some FixedWidthInteger) {
        Swift.withUnsafeBytes(of: number.littleEndian) { append(contentsOf: $0) }
    }

    /// Appends a ZIP64 field.
    fileprivate mutating func append(large numbers: [Int64]) {
        append(little: 1 as UInt16)
        append(little: UInt16(numbers.count * 8))
        for number in numbers { append(little: UInt64(number)) }
    }
}
