internal import FileSystem
internal import FoundationEssentials
internal import Glibc
internal import Media
internal import SessionFolder

/// Lets computers with a pairing code join the group, each on a thread of its own.
final class PairingServer: Sendable {
    private let folder: GroupFolder
    private let settings: GroupSettings
    private let listener: OwnedDescriptor
    private let identity: (certificate: [UInt8], key: [UInt8])
    private let joined: @Sendable (GroupMember) -> Void
    private let say: @Sendable (String) -> Void
    /// Connections that are served now.
    private let count = ConditionLock(0)
    private let members = ConditionLock(())

    private static let most = 8

    /// Listens from here on.
    ///
    /// - Parameters:
    ///   - folder: The group's folder.
    ///   - joined: Called with each member that has joined, on any thread.
    ///   - say: Gets sentences for people, on any thread.
    /// - Throws: `GroupError` when the port is taken, or a certificate is missing.
    init(
        _ folder: GroupFolder, joined: @escaping @Sendable (GroupMember) -> Void,
        saying say: @escaping @Sendable (String) -> Void
    ) throws(GroupError) {
        (self.folder, self.joined, self.say) = (folder, joined, say)
        settings = try folder.settings()
        identity = (
            try folder.read(GroupFolder.broker.certificate), try folder.read(GroupFolder.broker.key)
        )
        listener = try PairingSocket.listen(on: settings.pairingPort)
        _ = MediaThread(name: "pairing") { [self] in
            while true {
                guard let (socket, address) = PairingSocket.accept(listener) else {
                    // The system has no descriptor left; some will be closed.
                    MonotonicClock().sleep(
                        until: MonotonicClock().now + .milliseconds(200), unless: Cancellation())
                    continue
                }
                let isFree = count.withLock { count in
                    guard count < Self.most else { return false }
                    count += 1
                    return true
                }
                guard isFree else {
                    close(socket)
                    continue
                }
                _ = MediaThread(name: "pairing:peer") { [self] in
                    serve(socket, address)
                    count.withLock { $0 -= 1 }
                }
            }
        }
    }

    private func serve(_ socket: Int32, _ address: String) {
        do throws(GroupError) {
            let session = try TLSSession(over: socket, as: identity)
            let line = try session.receive()
            var answer = PairingAnswer()
            do throws(GroupError) {
                answer = try admit(line, from: address)
            } catch {
                say("a computer at \(address.printable(limit: 100)) was not let in: \(error)")
                answer.refusal = error.description
            }
            try session.send(JSONText.line(answer))
        } catch {
            // Who says nothing that is understood gets no answer, and is no news.
        }
    }

    private func admit(_ line: [UInt8], from address: String) throws(GroupError) -> PairingAnswer {
        let request: PairingRequest
        do {
            request = try JSONText.decoder().decode(PairingRequest.self, from: Data(line))
        } catch {
            throw GroupError("the request is not understood: it is of another version of multicam.")
        }
        guard let secret = PairingCode.bytes(request.secret[...]) else { throw Self.wrongSecret }
        let invitation = "\(GroupFolder.invitations)/\(PairingCode.digest(secret))"
        guard folder.has(invitation) else { throw Self.wrongSecret }
        let until = Int(String(decoding: try folder.read(invitation), as: UTF8.self)) ?? 0
        guard until > time(nil) else {
            unlink(folder.file(invitation))
            throw GroupError(
                "the pairing code is no longer valid: `multicam group invite` makes another one.")
        }
        guard GroupName.isValid(request.name), request.name != "serving", request.name != "all" else {
            throw GroupError(
                "`\(request.name.printable(limit: 60))` is no name of a node: expected \(GroupName.rule).")
        }
        guard request.user.utf8.count <= 64, GroupAddress.isValid(request.user), !request.user.contains(":"),
            (1...65_535).contains(request.sshPort), request.hostKeys.count <= 8,
            request.hostKeys.allSatisfy({ SSHKey.isPublicKey($0) })
        else { throw GroupError("the request has an SSH server or a user that cannot be.") }
        let member = GroupMember(
            name: request.name, address: address, user: request.user, sshPort: request.sshPort,
            hostKeys: request.hostKeys)
        let authority = try GroupAuthority(of: folder)
        let certificate = try authority.certify(request.request, named: request.name)
        let result = members.withLock { _ in
            Result { () throws(GroupError) in
                var members = try folder.members()
                guard !members.contains(where: { $0.name == member.name }) else {
                    throw GroupError(
                        "a node of the name \(member.name) is there already: choose another one with `--name`, or first `multicam group remove \(member.name)` where the group was made."
                    )
                }
                // One secret lets in one computer.
                guard unlink(folder.file(invitation)) == 0 else { throw Self.wrongSecret }
                members.append(member)
                try folder.encode(members, to: GroupFolder.membersName)
            }
        }
        try result.get()
        joined(member)
        var answer = PairingAnswer()
        answer.certificate = certificate
        answer.authority = try authority.pem()
        answer.port = settings.port
        answer.server = settings.server
        answer.collectKey = String(decoding: try folder.read(GroupFolder.collectKey + ".pub"), as: UTF8.self)
        return answer
    }

    private static let wrongSecret = GroupError(
        "the pairing code is not known here, or was used already: `multicam group invite` makes another one.")
}
