import CMulticamTLS
import Foundation
import MulticamSystem
import Testing

@testable import MulticamGroup

@Suite("Group certificates")
struct GroupAuthorityTests {
    private static func withFolder(_ body: (GroupFolder) throws -> Void) throws {
        let home = FileManager.default.temporaryDirectory.path + "/group-\(UInt64.random(in: 0...UInt64.max))"
        defer { _ = Result { try FileManager.default.removeItem(atPath: home) } }
        let folder = try GroupFolder("studio", environment: ["XDG_CONFIG_HOME": home])
        try folder.make()
        try GroupAuthority.make(in: folder)
        try body(folder)
    }

    @Test(
        "certificates of the broker and members are issued by the authority, which ignores the names in a request"
    )
    func issued() throws {
        try Self.withFolder { folder in
            let authority = try Certificate(try folder.read(GroupFolder.authority.certificate))
            let broker = try Certificate(try folder.read(GroupFolder.broker.certificate))
            #expect(broker.isIssued(by: authority))
            #expect(broker.matches(host: "broker.studio"))
            #expect(!broker.matches(host: "broker.other"))
            let request = try PrivateKey().request(named: "serving")
            let member = try Certificate(
                Array(
                    try GroupAuthority(of: folder).certify(
                        request, named: "left", identity: "0123456789abcdef"
                    ).utf8))
            #expect(member.isIssued(by: authority))
            #expect(member.secondsLeft > 0)
        }
    }

    @Test("an expired or foreign certificate is reported before the broker rejects it")
    func refused() throws {
        try Self.withFolder { folder in
            let request = try PrivateKey().request(named: "left")
            let expired = try GroupAuthority(of: folder).certify(
                request, named: "left", identity: "0123456789abcdef", lifetime: -60)
            try folder.write(expired, to: GroupFolder.node.certificate)
            let path = folder.file(GroupFolder.node.certificate)
            let first = #expect(throws: GroupError.self) { try folder.checkCertificate(path) }
            #expect(first?.description.contains("has expired") == true)
            try Self.withFolder { other in
                let foreign = try GroupAuthority(of: other).certify(
                    request, named: "left", identity: "0123456789abcdef")
                try folder.write(foreign, to: GroupFolder.node.certificate)
                let second = #expect(throws: GroupError.self) { try folder.checkCertificate(path) }
                #expect(second?.description.contains("does not belong to the group") == true)
            }
        }
    }

    @Test("an invalid certificate request is rejected")
    func rubbish() throws {
        try Self.withFolder { folder in
            let authority = try GroupAuthority(of: folder)
            for text in [
                "", "-----BEGIN NEW CERTIFICATE REQUEST-----\nAAAA\n-----END NEW CERTIFICATE REQUEST-----\n",
            ] {
                #expect(throws: GroupError.self) {
                    try authority.certify(text, named: "left", identity: "0123456789abcdef")
                }
            }
        }
    }

    private static func member(_ name: String, _ identity: String, isCoordinator: Bool = false) -> GroupMember
    {
        GroupMember(
            name: name, identity: identity, isCoordinator: isCoordinator, address: "192.168.1.21",
            user: "ann",
            sshPort: 22, hostKeys: [])
    }

    @Test("a node can access only its own subjects at the broker, and a coordinator the group's subjects")
    func permissions() throws {
        try Self.withFolder { folder in
            let settings = GroupSettings(name: "studio", address: "192.168.1.20", port: 8474)
            let members = [
                Self.member("left", "00000000000000aa"), Self.member("right", "00000000000000bb"),
                Self.member("desk", "00000000000000cc", isCoordinator: true),
            ]
            let text = BrokerConfiguration(folder: folder, settings: settings, members: members).text
            #expect(text.contains("verify_and_map: true"))
            let accounts = text.components(separatedBy: "node-left: {")
            #expect(accounts.count == 2)
            let left = try #require(accounts.last?.components(separatedBy: "node-right: {").first)
            #expect(left.contains("{ user: \"left.00000000000000aa@studio\", permissions"))
            #expect(
                left.contains(
                    "publish: { allow: [\"mc.studio.event.left\", \"mc.studio.state.left\", \"JS.GROUP.API.STREAM.INFO.KV_mc-sessions\""
                ))
            for other in ["\"mc.studio.event.right\"", "command.right", "$KV.mc-sessions.studio.>", "\">\""] {
                #expect(!left.contains(other))
            }
            let group = try #require(text.components(separatedBy: "node-left: {").first)
            #expect(group.contains("{ user: \"desk.00000000000000cc@studio\", permissions"))
            #expect(group.contains("\"mc.studio.command.*\""))
            #expect(!text.contains("\"mc.studio.>\""))
        }
    }

    @Test(
        "nats-server accepts the configuration",
        .enabled(if: SupervisedProgram.path(of: "nats-server") != nil, "nats-server is not installed"))
    func accepted() throws {
        let server = try #require(SupervisedProgram.path(of: "nats-server"))
        try Self.withFolder { folder in
            let settings = GroupSettings(name: "studio", address: "192.168.1.20", port: 8474)
            let members = [
                Self.member("left", "00000000000000aa"),
                Self.member("desk", "00000000000000cc", isCoordinator: true),
            ]
            try BrokerConfiguration(folder: folder, settings: settings, members: members).write()
            let child = try ChildProcess(server, ["-t", "-c", folder.file("broker.conf")])
            child.readOutput { _ in }
            child.readMessages { _ in }
            child.closeInput()
            #expect(child.wait() == 0)
        }
    }

    @Test(
        "each certificate has a unique identity, so that an earlier one with the same name remains rejected")
    func identities() throws {
        let first = GroupName.user("left", identity: GroupName.identity(), of: "studio")
        let second = GroupName.user("left", identity: GroupName.identity(), of: "studio")
        #expect(first != second)
        #expect(first.wholeMatch(of: /left\.[0-9a-f]{16}@studio/) != nil)
    }

    @Test("a member that was removed and rejoined is admitted only with its new certificate")
    func rejoined() throws {
        try Self.withFolder { folder in
            let settings = GroupSettings(name: "studio", address: "192.168.1.20", port: 8474)
            let (old, new) = (
                Self.member("left", "00000000000000aa"), Self.member("left", "00000000000000bb")
            )
            for (members, old, new) in [([old], true, false), ([], false, false), ([new], false, true)]
                as [([GroupMember], Bool, Bool)]
            {
                let text = BrokerConfiguration(folder: folder, settings: settings, members: members).text
                #expect(text.contains("left.00000000000000aa@studio") == old)
                #expect(text.contains("left.00000000000000bb@studio") == new)
            }
        }
    }
}
