import Foundation
import Testing

@Suite("Camera sets on the command line")
struct SetsTests {
    private func profile(_ bus: String) throws -> String {
        let scratch = FileManager.default.temporaryDirectory.appending(path: "sets-\(UUID().uuidString).yaml")
        let cameras = ["desk", "face", "side"].map { role in
            "  \(role): { device: \"virtual:bars?bus=\(bus)&size=640x480&fps=30&format=yuyv\" }"
        }
        try "cameras:\n\(cameras.joined(separator: "\n"))\ntracks: { cameras: encode }\nlimits: none\n".write(
            to: scratch, atomically: true, encoding: .utf8)
        return scratch.path
    }

    @Test("raw cameras on one synthetic bus exclude each other in text and JSON output")
    func sets() throws {
        let path = try profile("one")
        defer { unlink(path) }
        let words = try Multicam.run("plan", "--sets", "--profile", path)
        #expect(words.status == 0, "\(words.errors)")
        #expect(words.lines.contains("set 1: 1 camera, cost 0.53, limited by usb:one"))
        #expect(words.lines.contains("  desk and face: usb:one 1.06"))
        let outcome = try Multicam.run("plan", "--sets", "--profile", path, "--json")
        let json = try #require(
            try JSONSerialization.jsonObject(with: Data(outcome.output.utf8)) as? [String: Any])
        #expect((json["sets"] as? [Any])?.count == 3 && (json["exclusions"] as? [Any])?.count == 3)
        #expect(json["complete"] as? Bool == true)
    }

    @Test("a plan over budget suggests fixes, the easiest first")
    func fixes() throws {
        let path = try profile("two")
        defer { unlink(path) }
        let words = try Multicam.run("plan", "--profile", path)
        #expect(
            words.lines.contains(
                "  move side to another controller (change `bus` in its selector): cost 1.59 → 1.06"))
        let outcome = try Multicam.run("plan", "--profile", path, "--json")
        let json = try #require(
            try JSONSerialization.jsonObject(with: Data(outcome.output.utf8)) as? [String: Any])
        let cost = try #require(json["cost"] as? [String: Any])
        let fixes = try #require(cost["fixes"] as? [[String: Any]])
        #expect(fixes.first?["effort"] as? String == "move")
        #expect(fixes.last?["after"] as? Double ?? 2 <= 1)
    }

    @Test("a camera without bandwidth on its bus is rejected before anything is written")
    func refused() throws {
        let path = try profile("three")
        defer { unlink(path) }
        let folder = FileManager.default.temporaryDirectory.appending(path: "sets-\(UUID().uuidString)")
        let outcome = try Multicam.run(
            "record", "--profile", path, "--duration", "1", "--output", folder.path)
        #expect(outcome.status == 5 || outcome.status == 3, "\(outcome.errors)")
        #expect(!FileManager.default.fileExists(atPath: folder.path))
    }
}
