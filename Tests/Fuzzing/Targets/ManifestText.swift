import Foundation
import MulticamMedia
import MulticamSessionFolder
import MulticamSynchrony

/// Tests a session folder's `manifest.json`, as read by `verify` and `sync-check`.
final class ManifestText: FuzzTarget {
    static let name = "manifest"
    static let limit = 8192
    private let files: ScratchFiles

    init(folder: String) {
        files = ScratchFiles(folder: folder)
        files.makeFolder("cameras")
        files.makeFolder("audio")
        for name in ["program.mp4", "cameras/desk.mov", "audio/host.wav"] { files.write(name, [1, 2, 3]) }
    }

    func check(_ bytes: [UInt8]) throws(RuleViolation) {
        files.write("manifest.json", bytes)
        do {
            let manifest = try JSONDecoder().decode(Manifest.self, from: Data(bytes))
            let written = JSONText.pretty(manifest)
            let again = try JSONDecoder().decode(Manifest.self, from: written)
            try require(again == manifest, "a manifest is not read as it is written")
        } catch let error as RuleViolation {
            throw error
        } catch {
            // The text isn't a manifest. The code below checks the commands' messages.
        }
        do {
            let session = try CheckedSession(folder: files.folder)
            try require(!session.tracks.isEmpty && session.duration >= .zero, "a session of nothing")
            for track in session.tracks {
                try requireDisplayable(track.name)
                try require(
                    track.kind.isAudio || (track.tick > .zero && track.filled >= 0),
                    "a track with no time between its frames")
                for file in track.files {
                    try require(
                        file.hasPrefix(files.folder + "/"), "a track's file is outside of the folder: \(file)"
                    )
                }
            }
        } catch let error as RuleViolation {
            throw error
        } catch let error as SyncCheckError {
            try requireDisplayable(error.description)
        } catch {
            throw RuleViolation(description: "an error of another kind: \(error)")
        }
        do {
            let folder = try FolderVerification(folder: files.folder)
            for file in folder.files.prefix(64) {
                switch folder.verdict(file) {
                case .intact, .unfinished: break
                case .damaged(let why), .missing(let why): try require(!why.isEmpty, "damage without a word")
                case .unreadable(let error):
                    try require(!error.description.isEmpty, "unreadable without a word")
                }
            }
        } catch let error as RuleViolation {
            throw error
        } catch {
            try require(!"\(error)".isEmpty, "an error without a word")
        }
    }
}
