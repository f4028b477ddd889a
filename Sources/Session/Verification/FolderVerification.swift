internal import Containers
internal import Foundation
public import Media

/// Holds the files of a session folder against its manifest: whether they are the bytes that were recorded. Reads every byte:
/// on a thread that may wait for the disk.
public struct FolderVerification: Sendable {
    public enum Verdict: Sendable, Equatable {
        case whole
        /// The manifest says that it could not be finished, and why.
        case unfinished(String)
        /// It is not what was recorded: a sentence.
        case damaged(String)
    }

    public let folder: String
    /// What the manifest lists.
    public let files: [Manifest.File]

    /// Reads the manifest.
    ///
    /// - Throws: "read"; also where the recording was not finished or has no files, so that nothing is known of them.
    public init(folder: String) throws(FileError) {
        self.folder = folder
        let path = folder + "/manifest.json"
        let bytes: [UInt8]
        do throws(FileError) {
            bytes = try WholeFile.bytes(of: path, atMost: Manifest.largestByteCount)
        } catch {
            throw FileError(
                path: path, operation: "read",
                detail: "it cannot be opened. Name the folder of a recording, as `record` prints it.")
        }
        let manifest: Manifest
        do {
            manifest = try JSONDecoder().decode(Manifest.self, from: Data(bytes))
        } catch let error as DecodingError {
            throw FileError(
                path: path, operation: "read",
                detail: "it is no manifest of a recording (\(Self.reason(error))).")
        } catch {
            throw FileError(
                path: path, operation: "read", detail: "it is no manifest of a recording (it is no JSON).")
        }
        guard let files = manifest.files else {
            throw FileError(
                path: path, operation: "read",
                detail: "it lists no checksums: the recording was not finished, or by an older version.")
        }
        guard !files.isEmpty else {
            throw FileError(
                path: path, operation: "read",
                detail: "it lists no files: there is nothing that could be held against it.")
        }
        self.files = files
    }

    /// Reads a file and judges it.
    public func verdict(_ file: Manifest.File) -> Verdict {
        guard file.file.isPathWithin else {
            return .damaged("its path leads out of the folder.")
        }
        guard let checksum = file.xxh3_128, let start = file.hashed_from else {
            return .unfinished(
                file.fault
                    ?? (file.lacksChecksum
                        ? "its checksum was never computed: `multicam recover` on the folder does it."
                        : "it was not finished."))
        }
        let path = "\(folder)/\(file.file)"
        do throws(FileError) {
            let found = try FileVerification.checksum(of: path, from: start)
            guard found.byteCount == file.bytes else {
                return .damaged("it has \(found.byteCount) bytes, \(file.bytes) were recorded.")
            }
            guard found.checksum.value == checksum else {
                return .damaged("its bytes are not those that were recorded: restore it from a copy.")
            }
        } catch {
            return .damaged(error.description)
        }
        return file.verified ? .whole : .damaged(file.fault ?? "it was not as written when it was closed.")
    }

    private static func reason(_ error: DecodingError) -> String {
        switch error {
        case .keyNotFound(let key, _): "\(key.stringValue.printable()) is missing"
        case .typeMismatch(_, let context), .valueNotFound(_, let context), .dataCorrupted(let context):
            context.codingPath.isEmpty
                ? "it is no JSON"
                : context.codingPath.map { $0.stringValue.printable() }.joined(separator: ".")
        @unknown default: "it cannot be decoded"
        }
    }
}
