/// Makes the certificates of a group; only the computer that made the group has the authority's key.
struct GroupAuthority {
    private let certificate: Certificate
    private let key: PrivateKey
    private let group: String

    private static let day = 86_400
    /// Seconds for which the authority's and the broker's certificates are valid.
    private static let longest = 3650 * day
    /// Seconds for which a member's certificate is valid.
    static let usual = 800 * day

    /// Reads a group's authority.
    ///
    /// - Throws: `GroupError` when this computer has none.
    init(of folder: GroupFolder) throws(GroupError) {
        guard folder.has(GroupFolder.authority.key) else {
            throw GroupError("the group \(folder.group) was made on another computer: do that there.")
        }
        certificate = try Certificate(try folder.read(GroupFolder.authority.certificate))
        key = try PrivateKey(
            pem: String(decoding: try folder.read(GroupFolder.authority.key), as: UTF8.self))
        group = folder.group
    }

    /// Makes a group's authority, the broker's certificate, and the one with which this computer serves.
    ///
    /// - Throws: `GroupError` when they cannot be made or written.
    static func make(in folder: GroupFolder) throws(GroupError) {
        let key = try PrivateKey()
        let certificate = try Certificate(
            .authority, named: "multicam group \(folder.group)", alternative: nil, lifetime: longest,
            of: .own(key), by: nil)
        try folder.write(try key.pem(), to: GroupFolder.authority.key)
        try folder.write(try certificate.pem(), to: GroupFolder.authority.certificate)
        let authority = try GroupAuthority(of: folder)
        try authority.issue(
            .broker, named: "broker", alternative: GroupName.broker(of: folder.group), lifetime: longest,
            to: GroupFolder.broker, in: folder)
        try authority.issue(
            .member, named: "serving", alternative: GroupName.user("serving", of: folder.group),
            lifetime: longest, to: GroupFolder.serving, in: folder)
    }

    private func issue(
        _ use: Certificate.Use, named name: String, alternative: String, lifetime: Int,
        to files: (certificate: String, key: String), in folder: GroupFolder
    ) throws(GroupError) {
        let key = try PrivateKey()
        let issued = try Certificate(
            use, named: name, alternative: alternative, lifetime: lifetime, of: .own(key),
            by: (certificate, self.key))
        try folder.write(try key.pem(), to: files.key)
        // Who connects is shown the authority's, too: a pairing code names that one.
        try folder.write(try issued.pem() + (try certificate.pem()), to: files.certificate)
    }

    /// Certifies a member's key.
    ///
    /// - Parameters:
    ///   - request: The member's request for a certificate, as PEM.
    ///   - name: The member's name, whatever the request says.
    ///   - lifetime: Seconds until it expires.
    /// - Returns: The certificate as PEM.
    /// - Throws: `GroupError` when the request is not valid.
    func certify(_ request: String, named name: String, lifetime: Int = usual) throws(GroupError) -> String {
        try Certificate(
            .member, named: name, alternative: GroupName.user(name, of: group), lifetime: lifetime,
            of: .request(request), by: (certificate, key)
        ).pem()
    }

    /// The authority's certificate as PEM.
    ///
    /// - Throws: `GroupError` when it cannot be written.
    func pem() throws(GroupError) -> String { try certificate.pem() }

    /// What pairing codes know it by.
    var fingerprint: [UInt8] { certificate.fingerprint }
}
