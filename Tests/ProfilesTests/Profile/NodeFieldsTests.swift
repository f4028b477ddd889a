import MulticamProfiles
import Testing

@Suite("The nodes of a profile")
struct NodeFieldsTests {
    private static func read(_ text: String) throws(ProfileError) -> Profile {
        try Profile(yaml: Array(text.utf8), file: "test.yaml")
    }

    @Test("nodes are read in order, each with an optional profile, and require no devices")
    func read() throws {
        let profile = try Self.read("nodes: { right: { profile: pip }, left: }")
        #expect(
            profile.nodes == [
                NodeSettings(name: "right", profile: "pip"), NodeSettings(name: "left", profile: nil),
            ])
        #expect(throws: ProfileError.self) { try profile.checkWritesAnything() }
    }

    @Test(
        "invalid nodes are refused with their position",
        arguments: ["nodes: 3", "nodes: { Left: }", "nodes: { left: { camera: x } }", "nodes: { left: pip }"])
    func wrong(text: String) {
        let error = #expect(throws: ProfileError.self) { try Self.read(text) }
        #expect(error?.lines.first?.hasPrefix("test.yaml:1:") == true)
    }
}
