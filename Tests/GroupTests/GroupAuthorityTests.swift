import CTLS
import FoundationEssentials
import Testing

@testable import Group

@Suite("A group's certificates")
struct GroupAuthorityTests {
    private static func withFolder(_ body: (GroupFolder) throws -> Void) throws {
        let home = FileManager.default.temporaryDirectory.path + "/group-\(UInt64.random(in: 0...UInt64.max))"
        defer { _ = Result { try FileManager.default.removeItem(atPath: home) } }
        let folder = try GroupFolder("studio", environment: ["XDG_CONFIG_HOME": home])
        try folder.make()
        try GroupAuthority.make(in: folder)
        try body(folder)
    }

    @Test("the broker's and a member's are of the authority, and that is all that the request decides")
    func issued() throws {
        try Self.withFolder { folder in
            let authority = try Certificate(try folder.read(GroupFolder.authority.certificate))
            let broker = try Certificate(try folder.read(GroupFolder.broker.certificate))
            #expect(broker.isIssued(by: authority))
            #expect(broker.names(host: "broker.studio"))
            #expect(!broker.names(host: "broker.other"))
            let request = try PrivateKey().request(named: "serving")
            let member = try Certificate(
                Array(try GroupAuthority(of: folder).certify(request, named: "left").utf8))
            #expect(member.isIssued(by: authority))
            #expect(member.secondsLeft > 0)
        }
    }

    @Test("one that has expired, or is another group's, is told of before a broker refuses it")
    func refused() throws {
        try Self.withFolder { folder in
            let request = try PrivateKey().request(named: "left")
            let expired = try GroupAuthority(of: folder).certify(request, named: "left", lifetime: -60)
            try folder.write(expired, to: GroupFolder.node.certificate)
            let path = folder.file(GroupFolder.node.certificate)
            let first = #expect(throws: GroupError.self) { try folder.checkCertificate(path) }
            #expect(first?.description.contains("has expired") == true)
            try Self.withFolder { other in
                let foreign = try GroupAuthority(of: other).certify(request, named: "left")
                try folder.write(foreign, to: GroupFolder.node.certificate)
                let second = #expect(throws: GroupError.self) { try folder.checkCertificate(path) }
                #expect(second?.description.contains("not of the group") == true)
            }
        }
    }

    @Test("a request that is none gets no certificate")
    func rubbish() throws {
        try Self.withFolder { folder in
            let authority = try GroupAuthority(of: folder)
            for text in [
                "", "-----BEGIN NEW CERTIFICATE REQUEST-----\nAAAA\n-----END NEW CERTIFICATE REQUEST-----\n",
            ] {
                #expect(throws: GroupError.self) { try authority.certify(text, named: "left") }
            }
        }
    }

    @Test("the broker lets a member say only what is its own")
    func permissions() throws {
        try Self.withFolder { folder in
            let settings = GroupSettings(name: "studio", address: "192.168.1.20", port: 8474)
            let left = GroupMember(
                name: "left", address: "192.168.1.21", user: "ann", sshPort: 22, hostKeys: [])
            let text = BrokerConfiguration(folder: folder, settings: settings, members: [left]).text
            #expect(text.contains("verify_and_map: true"))
            #expect(text.contains("{ user: \"left@studio\", permissions"))
            #expect(text.contains("\"mc.studio.event.left\", \"mc.studio.state.left\""))
            #expect(!text.contains("\"mc.studio.>\""))
        }
    }
}
