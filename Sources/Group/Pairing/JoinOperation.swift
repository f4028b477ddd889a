internal import FoundationEssentials
internal import Glibc
internal import MulticamMedia
internal import MulticamSessionFolder

/// Joins this computer to a group.
struct JoinOperation {
    let code: PairingCode
    /// The requested name for this computer.
    let name: String
    /// Absolute path of the recordings folder on this computer.
    let output: String
    let sshPort: Int

    /// Exchanges certificates with the computer that serves the group, and gives that computer read access to
    /// the recordings on this computer.
    ///
    /// - Returns: Human-readable messages about the result.
    /// - Throws: `GroupError` if the group refuses this computer.
    func run() throws(GroupError) -> [String] {
        guard GroupName.isValid(name) else {
            throw GroupError(
                "`\(name.printable(limit: 60))` is not a valid node name: expected \(GroupName.rule).",
                status: 2)
        }
        let folder = try GroupFolder(code.group)
        let before = folder.has(GroupFolder.settingsName) ? try folder.settings() : nil
        if let node = before?.node, folder.has(GroupFolder.node.certificate),
            try Certificate(try folder.read(GroupFolder.node.certificate)).secondsLeft > 0, node == name
        {
            throw GroupError(
                "this computer is already in the group \(code.group) as \(node). Run `multicam node`. To join the group again, remove \(folder.path.printable()) first."
            )
        }
        let key = try PrivateKey()
        let hostKeys = SSHKey.hostKeys()
        let session = try TLSSession(
            over: try PairingSocket.connect(to: code.address, port: code.port), as: nil)
        let authority = try check(try session.peerCertificates())
        let request = PairingRequest(
            secret: code.secretText, name: name, request: try key.request(named: name), user: Self.user,
            sshPort: sshPort, hostKeys: hostKeys)
        try session.send(JSONText.line(request))
        let line = try session.receive()
        let answer: PairingAnswer
        do {
            answer = try JSONText.decoder().decode(PairingAnswer.self, from: Data(line))
        } catch {
            throw GroupError(
                "invalid response: the other computer is running a different version of multicam.")
        }
        if let refusal = answer.refusal {
            throw GroupError(
                "\(code.address.printable()) rejected this computer: \(refusal.printable(limit: 1000))"
            )
        }
        guard let pem = answer.certificate, let port = answer.port, (1...65_533).contains(port),
            try Certificate(Array(pem.utf8)).isIssued(by: authority)
        else {
            throw GroupError("the received certificate was not issued by this group's certificate authority.")
        }
        try folder.make()
        try folder.write(try key.pem(), to: GroupFolder.node.key)
        try folder.write(pem, to: GroupFolder.node.certificate)
        try folder.write(try authority.pem(), to: GroupFolder.authority.certificate)
        try folder.encode(
            GroupSettings(
                name: code.group, address: code.address, port: port, node: name,
                isCoordinator: answer.isCoordinator ?? false,
                output: output,
                server: answer.server), to: GroupFolder.settingsName)
        var sentences = [
            "this computer joined the group \(code.group) as \(name). To make this computer available for recordings, run `multicam node`."
        ]
        sentences.append(try authorize(answer.collectKey, hostKeys))
        return sentences
    }

    /// Verifies that the server belongs to the group that issued the pairing code.
    private func check(_ certificates: [Certificate]) throws(GroupError) -> Certificate {
        guard certificates.count == 2, certificates[1].fingerprint == code.fingerprint,
            certificates[0].isIssued(by: certificates[1]),
            certificates[0].matches(host: GroupName.broker(of: code.group))
        else {
            throw GroupError(
                "\(GroupAddress.text(code.address, code.port).printable()) is not the computer that created the pairing code: a different computer is using its address. No data was sent to that computer."
            )
        }
        return certificates[1]
    }

    private func authorize(_ key: String?, _ hostKeys: [String]) throws(GroupError) -> String {
        guard let key, let home = ProcessInfo.processInfo.environment["HOME"], home.hasPrefix("/") else {
            return "recordings cannot be collected from this computer, because HOME is not set."
        }
        try SSHKey.authorize(key, of: code.group, toRead: output, home: home)
        let sentence =
            "\(code.address) can now read \(output.printable(limit: 400)) with rsync over SSH. The key is in \(home)/.ssh/authorized_keys."
        return hostKeys.isEmpty
            ? sentence
                + " No SSH server is installed yet. To collect recordings from this computer, install openssh-server and rsync, then join the group again."
            : sentence
    }

    private static var user: String {
        guard let entry = getpwuid(getuid()), let name = entry.pointee.pw_name else { return "root" }
        return String(cString: name)
    }
}
