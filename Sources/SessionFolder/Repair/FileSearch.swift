internal import Containers
internal import FileSystem
internal import Glibc
internal import Media

/// Finds the media files of a session folder, and which of them continue which.
struct FileSearch {
    let folder: String
    let manifest: Manifest?
    let events: RecordedEvents

    /// Suffix that is appended to the name of a file of which nothing can be read.
    static let lostEnding = ".lost"

    /// Opens the files of all tracks that the manifest names, and of all others that are in the folder.
    ///
    /// - Throws: `FileError` when a file may not be changed, is in use, or cannot be read because of the system.
    func chains(progress: (String) -> Void) throws(FileError) -> [FileChain] {
        let names = try mediaFiles()
        let firsts = firstFiles(among: names)
        var chains: [FileChain] = []
        for first in firsts {
            progress(first)
            var later: [(number: Int, name: String)] = []
            for name in names where !firsts.contains(name) {
                if let number = PartName.number(of: name, continuing: first) { later.append((number, name)) }
            }
            later.sort { $0.number < $1.number }
            chains.append(try open(first, later.map(\.name)))
        }
        return chains
    }

    /// Names of the files in a folder of the session; empty where there is no such folder. Names that are no UTF-8 are left out.
    func names(in place: String) throws(FileError) -> [String] {
        let path = folder + "/" + place
        do throws(FileError) {
            // No recorder gives a name that is no UTF-8.
            return try FolderListing(of: path).names
        } catch {
            if error.errno == ENOENT { return [] }
            throw error
        }
    }

    private func mediaFiles() throws(FileError) -> [String] {
        var found: [String] = []
        for place in ["", "cameras/", "audio/"] {
            found += try names(in: place).filter(MediaFileName.isMedia).map { place + $0 }
        }
        return found.sorted()
    }

    private func firstFiles(among names: [String]) -> [String] {
        let told = (manifest?.tracks ?? []).map(\.file).filter(MediaFileName.isWithin)
        let firsts = told + names.filter { !told.contains($0) && !isPart($0, among: told + names) }
        var once: [String] = []
        for name in firsts where !once.contains(name) { once.append(name) }
        return once
    }

    /// Whether a name is that of a later part of another file. Where no manifest names the tracks, the events name the parts:
    /// `desk-2` may be a role too.
    private func isPart(_ name: String, among names: [String]) -> Bool {
        guard names.contains(where: { PartName.number(of: name, continuing: $0) != nil }) else {
            return false
        }
        return manifest != nil || events.events.isEmpty || events.start(ofPart: name) != nil
    }

    /// Opens the first file of a track and the files that continue it.
    private func open(_ first: String, _ later: [String]) throws(FileError) -> FileChain {
        var chain = FileChain(base: first)
        for name in [first] + later {
            let start = start(of: name, after: chain.files.last, isFirst: name == first)
            do throws(FileError) {
                let file = try RemainingFile(path: folder + "/" + name, name: name, start: start)
                guard file.hasContent || !isCrash else {
                    throw FileError(
                        path: folder + "/" + name, operation: "read", detail: "it holds no audio.")
                }
                chain.files.append(file)
            } catch {
                // An unreadable file does not stop the recovery of the others; one that may not be changed, or is in use, does.
                guard error.errno == 0 || error.errno == ENOENT, !error.isBusy else { throw error }
                chain.unreadable.append(
                    FileChain.Unreadable(
                        name: name, start: start, failure: error, isEmpty: isCrash && isEmpty(name)))
            }
        }
        return chain
    }

    /// Whether the recording was interrupted.
    private var isCrash: Bool { manifest.map { $0.outcome == .recording } ?? true }

    /// Start of a file, since T0: later than T0 where a person began its track while the recording ran, and after a split.
    private func start(of name: String, after last: RemainingFile?, isFirst: Bool) -> MediaTime {
        if let told = events.start(ofPart: name) { return told }
        guard !isFirst else {
            let told = (manifest?.tracks ?? []).filter { $0.file == name }.map(\.first_ns).max()
            return MediaTime(nanoseconds: max(0, told ?? 0))
        }
        return last?.end ?? .zero
    }

    /// Whether nothing was written to a file that cannot be read, or an earlier recovery found that and renamed it.
    private func isEmpty(_ name: String) -> Bool {
        let path = folder + "/" + name
        if access(path, F_OK) != 0 { return access(path + Self.lostEnding, F_OK) == 0 }
        do throws(FileError) {
            let bytes = try WholeFile.bytes(of: path, atMost: Self.mostZeros)
            return bytes.allSatisfy { $0 == 0 } || bytes.count <= Self.longestHeader && !bytes.hasFragment
        } catch {
            return false
        }
    }

    /// Largest file in bytes that is searched for content: a disk may have reserved room, as zeros, for what was to be written.
    private static let mostZeros = 64 << 20
    private static let longestHeader = 1 << 20
}

extension [UInt8] {
    /// Whether a movie's header is followed by a fragment (box `moof`).
    fileprivate var hasFragment: Bool {
        let type = Array("moof".utf8)
        return indices.dropLast(type.count - 1).contains {
            self[$0] == type[0] && self[$0..<$0 + 4].elementsEqual(type)
        }
    }
}
