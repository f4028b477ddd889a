internal import Containers
internal import FileSystem
internal import FoundationEssentials
internal import Glibc
internal import Media
internal import SessionFolder

extension StudioDesk {
    /// Most bytes that a phone may keep of a recording: some eight hours at 16 Mbit/s.
    private static let mostStored: Int64 = 64 << 30
    /// Room that stays free on the disk, in bytes.
    private static let freeRoom: Int64 = 2 << 30

    /// How much has arrived, and whether all of it is in the recording.
    private struct Stored: Encodable {
        var offset: Int64
        var done: Bool
    }

    /// Takes a piece of what a phone has kept of a recording, and adds all of it to the recording when it is the last one. Of what the phone
    /// has thrown away the pieces are deleted.
    func store(_ piece: PhonePiece?, of folder: String?) -> Outcome {
        guard Self.isFolder(folder), let folder else { return Self.noFolder }
        guard let piece, let arrival = UploadArrival(role: piece.role, id: piece.id),
            (1...Self.mostStored).contains(piece.total), (0...piece.total).contains(piece.offset),
            let bytes = Data(base64Encoded: piece.bytes), Int64(bytes.count) <= piece.total - piece.offset
        else { return (400, "What the phone has kept is not understood.") }
        let path = path(folder)
        if let remedy = FolderState(of: path).remedy(for: path) { return (409, remedy) }
        let manifest: Manifest
        do {
            manifest = try Manifest(
                reading: try WholeFile.bytes(of: path + "/manifest.json", atMost: Manifest.largestByteCount))
        } catch {
            return Self.noFolder
        }
        if manifest.uploads?.contains(where: { $0.id == piece.id }) == true {
            return (200, JSONText.line(Stored(offset: piece.total, done: true)))
        }
        guard manifest.devices.contains(where: { $0.role == piece.role && $0.identity == piece.device })
        else {
            return (404, "This phone was not the camera `\(piece.role)` of that recording.")
        }
        if piece.isDiscarded {
            let part = "\(path)/\(arrival.file)"
            guard unlink(part) == 0 || errno == ENOENT else {
                return (409, FileError(path: part, operation: "delete", errno: errno).description)
            }
            return (200, JSONText.line(Stored(offset: 0, done: true)))
        }
        do throws(FileError) {
            let arrived = try append(bytes, piece, to: "\(path)/\(arrival.file)")
            guard arrived == piece.total else {
                return (200, JSONText.line(Stored(offset: arrived, done: false)))
            }
        } catch {
            return (409, error.description)
        }
        let added = run(["ingest", path, piece.role, piece.id, "--json"])
        return added.status == 200 ? (200, JSONText.line(Stored(offset: piece.total, done: true))) : added
    }

    /// Appends a piece where it fits.
    ///
    /// - Returns: How many bytes have arrived.
    private func append(_ bytes: Data, _ piece: PhonePiece, to path: String) throws(FileError) -> Int64 {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw FileError(path: path, operation: "create", errno: errno) }
        let file = OwnedDescriptor(owning: descriptor)
        // One connection of the phone at a time: a former one may still have a piece under way.
        guard flock(file.number, LOCK_EX | LOCK_NB) == 0 else {
            throw FileError(path: path, operation: "write", detail: "another piece is being written.")
        }
        var status = stat()
        guard fstat(file.number, &status) == 0 else {
            throw FileError(path: path, operation: "write", errno: errno)
        }
        let size = Int64(status.st_size)
        guard size <= piece.total else {
            throw FileError(
                path: path, operation: "write", detail: "more has arrived than the phone has kept.")
        }
        guard !bytes.isEmpty, size == piece.offset else { return size }
        var space = statvfs()
        if fstatvfs(file.number, &space) == 0,
            Int64(space.f_bavail) * Int64(space.f_frsize) < Self.freeRoom + Int64(bytes.count)
        {
            throw FileError(path: path, operation: "write", errno: ENOSPC)
        }
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { write(file.number, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw FileError(path: path, operation: "write", errno: errno) }
            rest = rest.dropFirst(count)
        }
        return size + Int64(bytes.count)
    }
}
