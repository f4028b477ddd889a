import Foundation
import Testing

/// Replays the initial corpus of `tools/fuzz` and earlier findings without libFuzzer.
@Suite("Untrusted input")
struct CorpusTests {
    @Test(
        "the corpus and all earlier findings are harmless",
        arguments: FuzzTargets.all.map { $0.name })
    func corpus(_ name: String) throws {
        let target = try #require(FuzzTargets.all.first { $0.name == name })
        let inputs = try Self.files(Self.corpora.appending(path: name))
        #expect(!inputs.isEmpty, "there is something to begin with")
        let folder = FileManager.default.temporaryDirectory.appending(path: "fuzzing-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer {
            do { try FileManager.default.removeItem(at: folder) } catch {
                print("left behind: \(folder.path)")
            }
        }
        let tried = try target.init(folder: folder.path)
        for input in inputs + (try Self.files(Self.findings.appending(path: name))) {
            let bytes = [UInt8](try Data(contentsOf: input))
            #expect(throws: Never.self, "\(input.lastPathComponent)") { try tried.check(bytes) }
        }
    }

    @Test("every input belongs to a target, and the total size is small")
    func belonging() throws {
        let names = Set(FuzzTargets.all.map { $0.name })
        var byteCount = 0
        for place in [Self.corpora, Self.findings] {
            for folder in try FileManager.default.contentsOfDirectory(atPath: place.path) {
                #expect(names.contains(folder), "\(folder) is no target")
                for file in try Self.files(place.appending(path: folder)) {
                    byteCount += try Data(contentsOf: file).count
                }
            }
        }
        #expect(byteCount < 300_000)
    }

    private static let corpora = root.appending(path: "Corpus")
    private static let findings = root.appending(path: "Findings")
    private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent()

    /// Returns the files in a folder, sorted by name; empty if the folder doesn't exist.
    private static func files(_ folder: URL) throws -> [URL] {
        guard FileManager.default.fileExists(atPath: folder.path) else { return [] }
        return try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
            .filter { !$0.lastPathComponent.hasPrefix(".") }.sorted { $0.path < $1.path }
    }
}
