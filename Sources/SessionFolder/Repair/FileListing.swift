internal import Containers
internal import Glibc
internal import Media

/// Makes the manifest's entries for the files that a recovery found: first from their structure, and then with checksums, for
/// which every byte is read.
struct FileListing {
    let folder: String
    let progress: @Sendable (String) -> Void

    /// Makes an entry without a checksum for each file that has none.
    ///
    /// - Parameters:
    ///   - files: All readable files, as they are now.
    ///   - unreadable: The other files, with the reason.
    ///   - known: Entries of files that the recovery did not touch.
    /// - Returns: All entries in the order of their names; the known ones keep their checksums.
    func entries(
        of files: [RemainingFile], unreadable: [FileChain.Unreadable], known: [Manifest.File]
    ) -> [Manifest.File] {
        var entries = known
        let names = Set(known.map(\.file))
        for file in files where !names.contains(file.name) {
            entries.append(
                Manifest.File(recovered: file.name, bytes: byteCount(file.name), fault: fault(of: file)))
        }
        for file in unreadable where !names.contains(file.name) {
            entries.append(
                Manifest.File(
                    recovered: file.name, bytes: byteCount(file.name), fault: file.failure.description))
        }
        return entries.sorted { $0.file < $1.file }
    }

    /// Adds a checksum to each entry that has no fault and no checksum. A file that cannot be read gets a fault.
    func withChecksums(_ entries: [Manifest.File]) -> [Manifest.File] {
        entries.map { entry in
            guard entry.lacksChecksum, MediaFileName.isWithin(entry.file) else { return entry }
            progress("\(entry.file): its checksum")
            var entry = entry
            do throws(FileError) {
                let found = try FileVerification.checksum(of: folder + "/" + entry.file, from: 0)
                entry.bytes = found.byteCount
                entry.xxh3_128 = found.checksum.value
                entry.hashed_from = found.checksum.start
            } catch {
                entry.verified = false
                entry.fault = error.description
            }
            return entry
        }
    }

    private func fault(of file: RemainingFile) -> String? {
        let path = folder + "/" + file.name
        return switch file.content {
        case .movie: FileVerification.fault(ofMovie: path)
        // Samples that were cut stay in the file after those that the header names.
        case .audio: FileVerification.fault(ofWave: path, mayHaveMore: true)
        }
    }

    /// Size of a file in bytes; 0 where there is no such file.
    private func byteCount(_ name: String) -> Int64 {
        var status = stat()
        return stat(folder + "/" + name, &status) == 0 ? Int64(status.st_size) : 0
    }
}
