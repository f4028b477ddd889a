import CMulticamTLS
import Foundation
import MulticamMedia
import Testing

@testable import MulticamGroup

@Suite("Pairing server")
struct PairingServerTests {
    private static func freePort() throws -> Int {
        // The server uses the port after the port of the broker.
        for port in stride(from: 21_474, to: 40_000, by: 7) {
            do throws(GroupError) {
                _ = try PairingSocket.listen(on: port + 1)
                return port
            } catch {
                continue
            }
        }
        throw GroupError("no free port")
    }

    /// A connection and both ends of its socket.
    private static func pair(_ address: String, until deadline: Int64 = .max) throws -> (
        connection: PairingConnection, ends: [Int32]
    ) {
        var ends: [Int32] = [0, 0]
        #expect(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0)
        let connection = try #require(
            PairingConnection(ends[0], from: address, deadline: ClockTime(nanoseconds: deadline)))
        return (connection, ends)
    }

    /// Returns whether the peer's connection was closed.
    private static func isClosed(_ ends: [Int32]) -> Bool {
        var byte: UInt8 = 0
        return recv(ends[1], &byte, 1, Int32(MSG_DONTWAIT)) == 0
    }

    @Test("a flood from one address closes only connections from that address")
    func flood() throws {
        var connections = PairingConnections()
        let honest = try Self.pair("192.168.1.21")
        defer { for end in honest.ends { close(end) } }
        connections.admit(honest.connection)
        var flood: [(connection: PairingConnection, ends: [Int32])] = []
        defer { for end in flood.flatMap(\.ends) { close(end) } }
        for _ in 0..<30 {
            flood.append(try Self.pair("192.168.1.66"))
            connections.admit(try #require(flood.last).connection)
        }
        #expect(!Self.isClosed(honest.ends))
        #expect(flood.map { Self.isClosed($0.ends) } == (0..<30).map { $0 < 23 })
        for one in flood.suffix(7) { connections.remove(one.connection) }
        flood.append(try Self.pair("192.168.1.66"))
        connections.admit(try #require(flood.last).connection)
        #expect(!Self.isClosed(try #require(flood.last).ends))
    }

    @Test("a connection is closed at its deadline, even if data arrives")
    func deadline() throws {
        var connections = PairingConnections()
        let (connection, ends) = try Self.pair("192.168.1.66", until: 1000)
        defer { for end in ends { close(end) } }
        connections.admit(connection)
        connections.disconnect(overdueAt: ClockTime(nanoseconds: 1000))
        #expect(!Self.isClosed(ends))
        connections.disconnect(overdueAt: ClockTime(nanoseconds: 1001))
        #expect(Self.isClosed(ends))
    }

    @Test("silent connections don't block new ones: the oldest is closed")
    func crowded() throws {
        let home = FileManager.default.temporaryDirectory.path + "/group-\(UInt64.random(in: 0...UInt64.max))"
        defer { _ = Result { try FileManager.default.removeItem(atPath: home) } }
        let folder = try GroupFolder("studio", environment: ["XDG_CONFIG_HOME": home])
        try folder.make()
        try GroupAuthority.make(in: folder)
        try folder.make(GroupFolder.invitations)
        try folder.write("ssh-ed25519 AAAA", to: GroupFolder.collectKey + ".pub")
        try folder.encode([GroupMember](), to: GroupFolder.membersName)
        let port = try Self.freePort()
        try folder.encode(
            GroupSettings(name: "studio", address: "127.0.0.1", port: port), to: GroupFolder.settingsName)
        let server = try PairingServer(folder, joined: { _ in }, messageHandler: { _ in })
        var idle: [Int32] = []
        defer { for socket in idle { close(socket) } }
        for _ in 0..<20 { idle.append(try PairingSocket.connect(to: "127.0.0.1", port: port + 1)) }
        let code = PairingCode(
            group: "studio", address: "127.0.0.1", port: port + 1,
            fingerprint: try GroupAuthority(of: folder).fingerprint)
        try folder.write(
            String(
                decoding: try JSONEncoder().encode(Invitation(until: .max, isCoordinator: false)),
                as: UTF8.self
            ),
            to: "\(GroupFolder.invitations)/\(PairingCode.digest(code.secret))")
        let session = try TLSSession(
            over: try PairingSocket.connect(to: "127.0.0.1", port: port + 1), as: nil)
        let request = PairingRequest(
            secret: code.secretText, name: "left", request: try PrivateKey().request(named: "left"),
            user: "ann",
            sshPort: 22, hostKeys: [])
        try session.send(String(decoding: try JSONEncoder().encode(request), as: UTF8.self))
        let answer = try JSONDecoder().decode(PairingAnswer.self, from: Data(try session.receive()))
        #expect(answer.refusal == nil && answer.certificate != nil)
        let member = try #require(try folder.members().first)
        #expect(member.name == "left" && member.identity.utf8.count == 16 && !member.isCoordinator)
        withExtendedLifetime(server) {}
    }
}
