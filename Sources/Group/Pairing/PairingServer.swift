internal import FoundationEssentials
internal import Glibc
internal import MulticamMedia
internal import MulticamSessionFolder
internal import MulticamSystem

/// Admits computers to the group if they send a valid pairing code. Each connection runs on a separate
/// thread.
final class PairingServer: Sendable {
    private let folder: GroupFolder
    private let settings: GroupSettings
    private let listener: OwnedDescriptor
    private let identity: (certificate: [UInt8], key: [UInt8])
    private let joined: @Sendable (GroupMember) -> Void
    private let messageHandler: @Sendable (String) -> Void
    /// Open pairing connections, oldest first.
    private let connections = ConditionLock(PairingConnections())
    private let members = ConditionLock(())

    /// Maximum duration of a pairing connection.
    private static let timeout = Nanoseconds.seconds(15)

    /// Starts listening for pairing requests.
    ///
    /// - Parameters:
    ///   - folder: Folder of the group that admits computers.
    ///   - joined: Called with each new member, on any thread.
    ///   - messageHandler: Receives human-readable messages, on any thread.
    /// - Throws: `GroupError` if the port is in use or a certificate is missing.
    init(
        _ folder: GroupFolder, joined: @escaping @Sendable (GroupMember) -> Void,
        messageHandler: @escaping @Sendable (String) -> Void
    ) throws(GroupError) {
        (self.folder, self.joined, self.messageHandler) = (folder, joined, messageHandler)
        settings = try folder.settings()
        identity = (
            try folder.read(GroupFolder.broker.certificate), try folder.read(GroupFolder.broker.key)
        )
        listener = try PairingSocket.listen(on: settings.pairingPort)
        MediaThread.startWhenPossible(name: "pairing") { [self] in
            while true {
                guard let (socket, address) = PairingSocket.accept(listener) else {
                    // The system has run out of file descriptors. Accepting is retried after some descriptors
                    // have been closed.
                    MonotonicClock().sleep(
                        until: MonotonicClock().now + .milliseconds(200), unless: Cancellation())
                    continue
                }
                guard
                    let connection = PairingConnection(
                        socket, from: address, deadline: MonotonicClock().now + Self.timeout)
                else {
                    close(socket)
                    continue
                }
                connections.withLock { $0.admit(connection) }
                do throws(ThreadError) {
                    _ = try MediaThread(name: "pairing:peer") { [self] in
                        serve(socket, address)
                        connections.withLock { $0.remove(connection) }
                    }
                } catch {
                    messageHandler(error.description)
                    connections.withLock { $0.remove(connection) }
                    close(socket)
                }
            }
        }
        MediaThread.startWhenPossible(name: "pairing:limits") { [connections] in
            let clock = MonotonicClock()
            while true {
                clock.sleep(until: clock.now + .seconds(1), unless: Cancellation())
                connections.withLock { $0.disconnect(overdueAt: clock.now) }
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
                messageHandler("rejected a pairing request from \(address.printable(limit: 100)): \(error)")
                answer.refusal = error.description
            }
            try session.send(JSONText.line(answer))
        } catch {
            // If a connection doesn't send a valid request, no response is sent and nothing is reported.
        }
    }

    private func admit(_ line: [UInt8], from address: String) throws(GroupError) -> PairingAnswer {
        let request: PairingRequest
        do {
            request = try JSONText.decoder().decode(PairingRequest.self, from: Data(line))
        } catch {
            throw GroupError(
                "invalid request: the other computer is running a different version of multicam.")
        }
        guard let secret = PairingCode.bytes(request.secret[...]) else { throw Self.wrongSecret }
        let invitation = "\(GroupFolder.invitations)/\(PairingCode.digest(secret))"
        guard folder.has(invitation) else { throw Self.wrongSecret }
        let terms = try folder.decode(Invitation.self, from: invitation)
        guard terms.until > time(nil) else {
            unlink(folder.file(invitation))
            throw GroupError(
                "the pairing code has expired. Create another one with `multicam group invite`.")
        }
        guard GroupName.isValid(request.name), request.name != "serving", request.name != "all" else {
            throw GroupError(
                "`\(request.name.printable(limit: 60))` is not a valid node name: expected \(GroupName.rule)."
            )
        }
        guard request.user.utf8.count <= 64, GroupAddress.isValid(request.user), !request.user.contains(":"),
            (1...65_535).contains(request.sshPort), request.hostKeys.count <= 8,
            request.hostKeys.allSatisfy({ SSHKey.isPublicKey($0) })
        else { throw GroupError("invalid SSH host key or user name in the request.") }
        let member = GroupMember(
            name: request.name, identity: GroupName.identity(), isCoordinator: terms.isCoordinator,
            address: address,
            user: request.user, sshPort: request.sshPort, hostKeys: request.hostKeys)
        let authority = try GroupAuthority(of: folder)
        let certificate = try authority.certify(
            request.request, named: member.name, identity: member.identity)
        let result = members.withLock { _ in
            Result { () throws(GroupError) in
                var members = try folder.members()
                guard !members.contains(where: { $0.name == member.name }) else {
                    throw GroupError(
                        "a node with the name \(member.name) already exists. Choose another name with `--name`, or first run `multicam group remove \(member.name)` on the computer that created the group."
                    )
                }
                // Each pairing code admits only one computer.
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
        answer.isCoordinator = member.isCoordinator
        answer.port = settings.port
        answer.server = settings.server
        answer.collectKey = String(decoding: try folder.read(GroupFolder.collectKey + ".pub"), as: UTF8.self)
        return answer
    }

    private static let wrongSecret = GroupError(
        "the pairing code is unknown or has already been used. Create another one with `multicam group invite`."
    )
}
