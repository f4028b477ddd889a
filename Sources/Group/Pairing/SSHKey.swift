internal import FoundationEssentials
internal import Glibc
internal import MulticamMedia
internal import MulticamSystem

/// SSH keys that one computer of a group uses to fetch the recordings of the other computers.
enum SSHKey {
    /// Whether a string is a single public key in OpenSSH's one-line format, without leading options.
    static func isPublicKey(_ text: String) -> Bool {
        let words = text.split(separator: " ", omittingEmptySubsequences: false)
        guard (2...3).contains(words.count), text.utf8.count <= 2000,
            ["ssh-ed25519", "ssh-rsa", "ecdsa-sha2-nistp256", "ecdsa-sha2-nistp384", "ecdsa-sha2-nistp521"]
                .contains(
                    String(words[0]))
        else { return false }
        return words.dropFirst().allSatisfy { word in
            !word.isEmpty
                && word.utf8.allSatisfy { byte in
                    byte > 0x20 && byte < 0x7F && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "#")
                }
        }
    }

    /// Returns the public keys of this computer's SSH server; empty if no SSH server is installed.
    static func hostKeys() -> [String] {
        let folder = "/etc/ssh"
        return FolderListing.names(in: folder).filter { $0.hasPrefix("ssh_host_") && $0.hasSuffix(".pub") }
            .compactMap { name in
                guard let bytes = FileManager.default.contents(atPath: "\(folder)/\(name)") else {
                    return nil
                }
                let words = String(decoding: bytes, as: UTF8.self).split { $0 == " " || $0 == "\n" }
                let key = words.prefix(2).joined(separator: " ")
                return isPublicKey(key) ? key : nil
            }
    }

    /// Creates an SSH key without a passphrase in a group's folder, unless the key already exists.
    ///
    /// - Throws: `GroupError` if ssh-keygen is missing or fails.
    static func make(in folder: GroupFolder) throws(GroupError) {
        guard !folder.has(GroupFolder.collectKey) else { return }
        guard let program = ProgramPath.named("ssh-keygen") else {
            throw GroupError("ssh-keygen is missing. Install the package openssh-client.")
        }
        let status: Int32
        do throws(ProcessError) {
            let child = try ChildProcess(
                program,
                [
                    "-q", "-t", "ed25519", "-N", "", "-C", "multicam-group-\(folder.group)", "-f",
                    folder.file(GroupFolder.collectKey),
                ])
            child.readOutput { _ in }
            child.readMessages { _ in }
            child.closeInput()
            status = child.wait()
        } catch {
            throw GroupError(error.description)
        }
        guard status == 0 else {
            throw GroupError("the SSH key for collecting recordings cannot be created.")
        }
    }

    /// Allows the holder of a key to read one folder of this user with rsync. The key doesn't permit any
    /// other access.
    ///
    /// - Parameters:
    ///   - key: The public key to allow.
    ///   - group: The group's name, which labels the line in `authorized_keys`.
    ///   - output: Absolute path of the folder that the key may read.
    ///   - home: This user's home folder.
    /// - Throws: `GroupError` if the `authorized_keys` file can't be written.
    static func authorize(_ key: String, of group: String, toRead output: String, home: String)
        throws(GroupError)
    {
        let folder = home + "/.ssh"
        let path = folder + "/authorized_keys"
        let line = try authorizedKeysLine(of: key, of: group, toRead: output)
        do {
            try FileManager.default.createDirectory(
                atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        } catch {
            throw GroupError(
                "\(folder.printable()) cannot be created. Check its permissions and the free disk space.")
        }
        let before =
            FileManager.default.contents(atPath: path).map { String(decoding: $0, as: UTF8.self) } ?? ""
        let mark = " multicam-group-\(group)"
        let kept = before.split(separator: "\n", omittingEmptySubsequences: false).filter {
            !$0.hasSuffix(mark)
        }
        var text = kept.joined(separator: "\n")
        if !text.isEmpty, !text.hasSuffix("\n") { text += "\n" }
        do throws(FileError) {
            try FileReplacement.write(Array((text + line + "\n").utf8), to: path, permissions: 0o600)
        } catch {
            throw GroupError("\(error)")
        }
    }

    /// Returns the line in `authorized_keys` that allows the holder of a key to read a folder with rsync.
    ///
    /// - Throws: `GroupError` if the key is invalid, or the folder's name can't be used in such a line.
    static func authorizedKeysLine(of key: String, of group: String, toRead output: String) throws(GroupError)
        -> String
    {
        let words = key.split { $0 == " " || $0 == "\n" }
        let plain = words.prefix(2).joined(separator: " ")
        guard isPublicKey(plain) else {
            throw GroupError("the SSH key of the computer that collects the recordings is invalid.")
        }
        guard output.utf8.allSatisfy({ $0 >= 0x20 && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\") }),
            !output.contains("'")
        else {
            throw GroupError(
                "\(output.printable()): recordings cannot be collected from a folder with quotes or backslashes in its name. Choose another folder with `--output`.",
                status: 2)
        }
        return "restrict,command=\"rrsync -ro '\(output)'\" \(plain) multicam-group-\(group)"
    }
}
