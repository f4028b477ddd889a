internal import Containers
internal import Glibc
internal import Media

/// What the manifest says of the files that a recovery found: first what their structure tells, and then, which takes as long as
/// the files are large, their checksums.
struct FileListing {
    let folder: String
    let progress: @Sendable (String) -> Void

    /// - Parameters:
    ///   - files: All that could be read, as they are now.
    ///   - unreadable: The others, from the folder, with the reason.
    ///   - known: What the manifest says of files that were not touched.
    /// - Returns: By their names, without checksums but for those that are known.
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

    /// The same with a checksum for each file in which nothing is wrong. What cannot be read is.
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
        // What was cut stays behind what the header names.
        case .audio: FileVerification.fault(ofWave: path, mayHaveMore: true)
        }
    }

    /// 0 of what is not there.
    private func byteCount(_ name: String) -> Int64 {
        var status = stat()
        return stat(folder + "/" + name, &status) == 0 ? Int64(status.st_size) : 0
    }
}
