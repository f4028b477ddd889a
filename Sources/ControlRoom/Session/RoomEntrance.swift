internal import FileSystem
internal import Media
internal import QRCodes
internal import Studio

/// What the web process makes and looks up before it is confined.
struct RoomEntrance {
    /// Path of a PEM file with certificate and key; `nil` where connections are not encrypted.
    let certificate: String?
    /// The certificate's fingerprint, for people.
    private let fingerprint: String?
    /// The address that others are told.
    private let host: String
    /// What people should know of files: why the process may still open them, why it cannot read recordings.
    let notes: [String]

    /// Prepares everything that needs files or names, and gives up the right to them.
    ///
    /// - Throws: `WebError` when no certificate can be made.
    init(_ settings: RoomSettings) throws(WebError) {
        var path = settings.certificate
        let (names, addresses) = (MachineAddresses.names.sorted(), MachineAddresses.all)
        if settings.isEncrypted, path == nil {
            path = try OwnCertificate.path(in: settings.stateFolder, names: names, addresses: addresses)
        }
        certificate = path
        fingerprint = path.flatMap { OwnCertificate.fingerprint($0) }
        let everywhere = ["0.0.0.0", "::"].contains(settings.address)
        host = everywhere ? addresses.first ?? settings.address : settings.address
        // What is not there yet could not be read later.
        let shortcoming = Self.make(settings.recordings)
        Confinement.ofMemory()
        let scheduling = Confinement.ofScheduling()
        let freedom = Confinement.ofFiles(
            readable: [path].compactMap(\.self), folders: [settings.recordings], port: settings.port)
        notes = [shortcoming, scheduling, freedom].compactMap(\.self)
    }

    /// Makes the output folder, as the first recording would.
    ///
    /// - Returns: Why it is not there, as a sentence; `nil` when it is.
    private static func make(_ folder: String) -> String? {
        do throws(FileError) {
            try FolderCreation.make(folder)
            return nil
        } catch {
            return
                "multicam: \(folder.printable(limit: 1000)) cannot be made, so the page shows no recordings of it."
        }
    }

    /// What the supervisor is told when the port is listened at: the address, and for phones the same as a code, with the
    /// certificate's fingerprint.
    ///
    /// - Parameters:
    ///   - settings: What the supervisor has said.
    ///   - port: The port that is listened at.
    ///   - notes: More sentences for people.
    /// - Returns: The line for the supervisor.
    func beginning(_ settings: RoomSettings, _ port: Int, notes: [String]) -> SupervisorLine {
        let address = "\(place(settings, port))/#token=\(settings.token.text)"
        var line = SupervisorLine()
        (line.listening, line.address) = (port, address)
        line.notes = notes
        if certificate != nil {
            line.notes? +=
                QRCode.lines(address) + (fingerprint.map { ["SHA-256 of the certificate: \($0)"] } ?? [])
        }
        return line
    }

    /// The link that makes a phone a camera.
    func invitation(_ settings: RoomSettings, _ port: Int) -> PhoneInvitation {
        PhoneInvitation(
            address: "\(place(settings, port))/phone#token=\(settings.phoneToken.text)",
            isReachable: settings.isEncrypted && !settings.address.hasPrefix("127.")
                && settings.address != "::1")
    }

    private func place(_ settings: RoomSettings, _ port: Int) -> String {
        "\(settings.isEncrypted ? "https" : "http")://\(host.contains(":") ? "[\(host)]" : host):\(port)"
    }
}
