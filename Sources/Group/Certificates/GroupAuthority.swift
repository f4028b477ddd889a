/// Issues the certificates of a group. Only the computer that created the group holds the authority's key.
struct GroupAuthority {
    private let certificate: Certificate
    private let key: PrivateKey
    private let group: String

    private static let day = 86_400
    /// Validity of the authority's and the broker's certificates, in seconds.
    private static let maxLifetime = 3650 * day
    /// Default validity of a member's certificate, in seconds.
    static let defaultLifetime = 800 * day

    /// Loads the certificate authority of a group.
    ///
    /// - Throws: `GroupError` if this computer doesn't have the authority's key.
    init(of folder: GroupFolder) throws(GroupError) {
        guard folder.has(GroupFolder.authority.key) else {
            throw GroupError(
                "the group \(folder.group) was created on another computer. Run the command there.")
        }
        certificate = try Certificate(try folder.read(GroupFolder.authority.certificate))
        key = try PrivateKey(
            pem: String(decoding: try folder.read(GroupFolder.authority.key), as: UTF8.self))
        group = folder.group
    }

    /// Creates a group's certificate authority, the broker's certificate, and this computer's certificate for
    /// serving the group.
    ///
    /// - Throws: `GroupError` if the certificates can't be created or written.
    static func make(in folder: GroupFolder) throws(GroupError) {
        let key = try PrivateKey()
        let certificate = try Certificate(
            .authority, named: "multicam group \(folder.group)", alternative: nil, lifetime: maxLifetime,
            of: .own(key), by: nil)
        try folder.write(try key.pem(), to: GroupFolder.authority.key)
        try folder.write(try certificate.pem(), to: GroupFolder.authority.certificate)
        let authority = try GroupAuthority(of: folder)
        try authority.issue(
            .broker, named: "broker", alternative: GroupName.broker(of: folder.group), lifetime: maxLifetime,
            to: GroupFolder.broker, in: folder)
        try authority.issue(
            .member, named: "serving", alternative: GroupName.server(of: folder.group),
            lifetime: maxLifetime, to: GroupFolder.serving, in: folder)
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
        // The server also presents the authority's certificate, because pairing codes contain its fingerprint.
        try folder.write(try issued.pem() + (try certificate.pem()), to: files.certificate)
    }

    /// Issues a certificate for a member's public key.
    ///
    /// - Parameters:
    ///   - request: The member's certificate signing request (PEM).
    ///   - name: The member's name, which overrides the name in the request.
    ///   - identity: The member's identity, which is unique to this certificate.
    ///   - lifetime: Validity of the certificate in seconds.
    /// - Returns: The certificate as PEM.
    /// - Throws: `GroupError` if the request is invalid.
    func certify(
        _ request: String, named name: String, identity: String, lifetime: Int = defaultLifetime
    ) throws(GroupError) -> String {
        try Certificate(
            .member, named: name, alternative: GroupName.user(name, identity: identity, of: group),
            lifetime: lifetime,
            of: .request(request), by: (certificate, key)
        ).pem()
    }

    /// Returns the authority's certificate as PEM.
    ///
    /// - Throws: `GroupError` if the certificate can't be encoded.
    func pem() throws(GroupError) -> String { try certificate.pem() }

    /// Fingerprint that identifies the authority in pairing codes.
    var fingerprint: [UInt8] { certificate.fingerprint }
}
