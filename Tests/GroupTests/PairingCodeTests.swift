import Testing

@testable import MulticamGroup

@Suite("Pairing codes")
struct PairingCodeTests {
    @Test(
        "a code is parsed as it was printed, for every type of address",
        arguments: ["192.168.1.20", "2001:db8::1", "studio-pc.local"])
    func roundTrip(address: String) throws {
        let code = PairingCode(
            group: "studio", address: address, port: 8475, fingerprint: Array(1...16))
        #expect(try PairingCode(code.text) == code)
        #expect(try PairingCode(code.text.lowercased()) == code)
    }

    @Test(
        "an incomplete or altered code is a usage error",
        arguments: [
            "", "studio", "studio@", "studio@192.168.1.20:8475/", "studio@192.168.1.20:8475/ABCD",
            "Studio@192.168.1.20:8475/\(String(repeating: "A", count: 42))",
            "studio@192.168.1.20:0/\(String(repeating: "A", count: 42))",
            "studio@-oProxyCommand=x:1/\(String(repeating: "A", count: 42))",
            "studio@192.168.1.20:8475/\(String(repeating: "1", count: 42))",
        ])
    func wrong(text: String) {
        let error = #expect(throws: GroupError.self) { try PairingCode(text) }
        #expect(error?.status == 2)
    }

    @Test("each code has a different secret")
    func secrets() {
        let codes = (0..<8).map { _ in
            PairingCode(group: "studio", address: "h", port: 1, fingerprint: Array(1...16)).secretText
        }
        #expect(Set(codes).count == 8)
    }
}
