internal import FoundationEssentials
internal import Glibc
internal import Media
internal import SessionFolder

/// Joins this computer to a group.
struct Joining {
    let code: PairingCode
    /// The name that this computer gets.
    let name: String
    /// Where it records, as an absolute path.
    let output: String
    let sshPort: Int

    /// Exchanges certificates with the computer that serves the group, and allows it to read what is recorded here.
    ///
    /// - Returns: Sentences for people.
    /// - Throws: `GroupError` when it is not let in.
    func run() throws(GroupError) -> [String] {
        guard GroupName.isValid(name) else {
            throw GroupError(
                "`\(name.printable(limit: 60))` is no name of a node: expected \(GroupName.rule).", status: 2)
        }
        let folder = try GroupFolder(code.group)
        let before = folder.has(GroupFolder.settingsName) ? try folder.settings() : nil
        if let node = before?.node, folder.has(GroupFolder.node.certificate),
            try Certificate(try folder.read(GroupFolder.node.certificate)).secondsLeft > 0, node == name
        {
            throw GroupError(
                "this computer is in the group \(code.group) already, as \(node): run `multicam node`. To join anew, remove \(folder.path.printable()) first."
            )
        }
        let key = try PrivateKey()
        let hostKeys = SSHKey.ofThisHost()
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
            throw GroupError("the answer is not understood: it is of another version of multicam.")
        }
        if let refusal = answer.refusal {
            throw GroupError(
                "\(code.address.printable()) does not let this computer in: \(refusal.printable(limit: 1000))"
            )
        }
        guard let pem = answer.certificate, let port = answer.port, (1...65_533).contains(port),
            try Certificate(Array(pem.utf8)).isIssued(by: authority)
        else { throw GroupError("the certificate that came is not of this group's authority.") }
        try folder.make()
        try folder.write(try key.pem(), to: GroupFolder.node.key)
        try folder.write(pem, to: GroupFolder.node.certificate)
        try folder.write(try authority.pem(), to: GroupFolder.authority.certificate)
        try folder.encode(
            GroupSettings(
                name: code.group, address: code.address, port: port, node: name, output: output,
                server: answer.server), to: GroupFolder.settingsName)
        var sentences = ["this computer is \(name) in the group \(code.group): `multicam node` offers it."]
        sentences.append(try allow(answer.collectKey, hostKeys))
        return sentences
    }

    /// Checks that the one who answers is the one who invited.
    private func check(_ certificates: [Certificate]) throws(GroupError) -> Certificate {
        guard certificates.count == 2, certificates[1].fingerprint == code.fingerprint,
            certificates[0].isIssued(by: certificates[1]),
            certificates[0].names(host: GroupName.broker(of: code.group))
        else {
            throw GroupError(
                "\(GroupAddress.text(code.address, code.port).printable()) is not the computer that made the pairing code: another one answers at its address. Nothing was sent to it."
            )
        }
        return certificates[1]
    }

    private func allow(_ key: String?, _ hostKeys: [String]) throws(GroupError) -> String {
        guard let key, let home = ProcessInfo.processInfo.environment["HOME"], home.hasPrefix("/") else {
            return "recordings cannot be collected from here: no HOME is set."
        }
        try SSHKey.allow(key, of: code.group, toRead: output, home: home)
        let sentence =
            "\(code.address) may read \(output.printable(limit: 400)) by rsync over SSH from now on, by a line in \(home)/.ssh/authorized_keys."
        return hostKeys.isEmpty
            ? sentence
                + " No SSH server is here yet: install openssh-server and rsync, and join anew, to have recordings collected."
            : sentence
    }

    private static var user: String {
        guard let entry = getpwuid(getuid()), let name = entry.pointee.pw_name else { return "root" }
        return String(cString: name)
    }
}
