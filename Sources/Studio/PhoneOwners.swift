internal import FoundationEssentials
internal import Glibc
internal import MulticamMedia
internal import MulticamSessionFolder
internal import MulticamSystem

/// Records which phone was used as which camera of a recording. A phone is identified by the hash of its secret key.
///
/// Users choose the names of phones freely, and the web process loses them when it ends. Each recording has one owner
/// per phone name: the first phone confirmed as its camera. The file that records the owner is never replaced. Safe to
/// use from any thread and process.
struct PhoneOwners: Sendable {
    /// Path of the folder with one file per owner, in the state folder.
    let folder: String

    /// Length of a SHA-256 hash in hexadecimal digits.
    private static let keyLength = 64

    /// Registers a phone as the camera `device` of a recording, unless another phone is registered as this
    /// camera.
    ///
    /// - Parameters:
    ///   - key: Hash of the phone's key.
    ///   - device: Selector of the phone, such as `phone:anna`.
    ///   - manifest: The manifest of the recording.
    /// - Returns: Whether the phone is the owner.
    /// - Throws: `FileError` if the owner can't be read or written.
    func claim(_ key: String, as device: String, of manifest: Manifest) throws(FileError) -> Bool {
        guard Self.isKey(key), let path = path(of: device, in: manifest) else { return false }
        if let owner = try owner(at: path) { return owner == key }
        try FolderCreation.make(folder, permissions: 0o700)
        let draft = "\(path).\(getpid())-\(UInt64.random(in: 0 ... .max))"
        try FileReplacement.write(Array(key.utf8), to: draft, permissions: 0o600)
        defer { unlink(draft) }
        // link(2) never replaces a file. If two phones register at the same time, only one of them succeeds.
        guard link(draft, path) == 0 || errno == EEXIST else {
            throw FileError(path: path, operation: "creating the file", errno: errno)
        }
        return try owner(at: path) == key
    }

    /// Whether a phone is registered as the camera `device` of a recording.
    ///
    /// - Throws: `FileError` if the owner can't be read.
    func owns(_ key: String, as device: String, of manifest: Manifest) throws(FileError) -> Bool {
        guard Self.isKey(key), let path = path(of: device, in: manifest) else { return false }
        return try owner(at: path) == key
    }

    private static func isKey(_ key: String) -> Bool {
        key.utf8.count == keyLength && key.allSatisfy { $0.isHexDigit }
    }

    /// Returns the path of the owner's file, or `nil` if the device isn't a phone. The recording is identified by its
    /// start time, so that its owners are still found after its folder is renamed.
    private func path(of device: String, in manifest: Manifest) -> String? {
        let prefix = "phone:"
        guard device.hasPrefix(prefix) else { return nil }
        let name = String(device.dropFirst(prefix.count))
        guard PhoneSelector.selector(of: name) == device else { return nil }
        // The manifest is untrusted input.
        let start = manifest.started.utf8.prefix(64).map { byte in
            let isDigit = (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
            return isDigit ? Character(Unicode.Scalar(byte)) : "-"
        }
        return "\(folder)/\(String(start))_\(manifest.t0_monotonic_ns)_\(name)"
    }

    private func owner(at path: String) throws(FileError) -> String? {
        let number = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
        guard number >= 0 else {
            guard errno == ENOENT else { throw FileError(path: path, operation: "opening", errno: errno) }
            return nil
        }
        let file = OwnedDescriptor(owning: number)
        var bytes = [UInt8](repeating: 0, count: Self.keyLength)
        let count = bytes.withUnsafeMutableBytes { read(file.number, $0.baseAddress, $0.count) }
        guard count >= 0 else { throw FileError(path: path, operation: "reading", errno: errno) }
        return String(decoding: bytes.prefix(count), as: UTF8.self)
    }
}

/// A phone's identity as sent by the web process.
package struct PhoneIdentity: Sendable, Equatable, Codable {
    /// Selector of the phone, such as `phone:anna`. The phone's user chose the name.
    package var device: String
    /// SHA-256 of the phone's key, in hexadecimal digits.
    package var key: String

    /// Creates an identity. Each parameter sets the property with the same name.
    package init(device: String, key: String) { (self.device, self.key) = (device, key) }
}

/// A piece of a phone's local recording, as forwarded by the web process. All fields are untrusted.
package struct PhonePiece: Sendable, Codable {
    /// Selector of the phone, such as `phone:anna`.
    package var device: String
    /// SHA-256 of the phone's key, in hexadecimal digits. Only the phone that was the recording's camera may add data
    /// to the local recording.
    package var key: String
    /// Role of the phone's camera in the recording.
    package var role: String
    /// The ID that the phone assigned to the local recording: 8 to 32 letters and digits.
    package var id: String
    /// Total size of the local recording in bytes.
    package var total: Int64
    /// Offset of the piece in bytes.
    package var offset: Int64
    /// The bytes in base64; empty to request the number of bytes that have arrived.
    package var bytes: String
    /// Whether the phone's user discarded the local recording. The bytes received so far are then useless.
    package var isDiscarded: Bool

    private enum CodingKeys: String, CodingKey {
        case device, key, role, id, total, offset, bytes
        case isDiscarded = "discarded"
    }

    /// Creates a piece. Each parameter sets the property with the same name.
    package init(
        device: String, key: String, role: String, id: String, total: Int64, offset: Int64 = 0,
        bytes: String = "",
        isDiscarded: Bool = false
    ) {
        (self.device, self.key, self.role, self.id) = (device, key, role, id)
        (self.total, self.offset, self.bytes) = (total, offset, bytes)
        self.isDiscarded = isDiscarded
    }
}
