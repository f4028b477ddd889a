import Foundation
import MulticamMedia
import MulticamSessionFolder
import Testing

@Suite("group.json")
struct GroupManifestTests {
    private static func node(_ name: String, first: Int64 = 0) -> GroupManifest.Node {
        GroupManifest.Node(
            name: name, folder: "f", first_ns: first, t0_monotonic_ns: 1, outcome: "finished", clock: nil)
    }

    /// Writes a file with the given nodes and reads it back.
    private static func read(_ nodes: [GroupManifest.Node], t0: Int64 = 1) throws -> GroupManifest? {
        let place = FileManager.default.temporaryDirectory.appending(path: "multicam-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
        defer {
            do {
                try FileManager.default.removeItem(at: place)
            } catch {
                print("left behind: \(place.path)")
            }
        }
        let manifest = GroupManifest(
            group: "studio", recording: "r", t0_utc_ns: t0, duration_ns: nil, nodes: nodes, missing: [])
        try JSONEncoder().encode(manifest).write(to: place.appending(path: GroupManifest.fileName))
        return try GroupManifest.read(in: place.path)
    }

    @Test("accepts nodes that began slightly early, on time, or late")
    func plausible() throws {
        let nodes = [Self.node("left", first: -2000), Self.node("right", first: 3_600_000_000_000)]
        #expect(try Self.read(nodes)?.nodes == nodes)
    }

    @Test(
        "rejects a duplicate node, a folder outside the recording, and an impossible start time",
        arguments: [
            ([node("left"), node("left")], 1), ([node("../left")], 1), ([node("a/b")], 1),
            ([node("left", first: .max)], 1), ([node("left", first: .min)], 1), ([node("left")], -1),
        ] as [([GroupManifest.Node], Int64)])
    func faults(nodes: [GroupManifest.Node], t0: Int64) {
        #expect(throws: FileError.self) { try Self.read(nodes, t0: t0) }
    }
}
