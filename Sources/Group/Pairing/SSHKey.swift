internal import FileSystem
internal import FoundationEssentials
internal import Glibc
internal import Media
internal import Processes

/// SSH keys, by which one computer of a group fetches the recordings of the others.
enum SSHKey {
    /// Whether a text is one public key in a line as OpenSSH writes it, without options before it.
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

    /// The public keys of this computer's SSH server; empty where it has none.
    static func ofThisHost() -> [String] {
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

    /// Makes a key without a password in a group's folder, unless it is there.
    ///
    /// - Throws: `GroupError` when ssh-keygen is missing or fails.
    static func make(in folder: GroupFolder) throws(GroupError) {
        guard !folder.has(GroupFolder.collectKey) else { return }
        guard let program = ProgramPath.named("ssh-keygen") else {
            throw GroupError("ssh-keygen is missing: install the package openssh-client.")
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
            child.finish()
            status = child.wait()
        } catch {
            throw GroupError(error.description)
        }
        guard status == 0 else { throw GroupError("the key for collecting recordings cannot be made.") }
    }

    /// Allows a key to read one folder of this user's by rsync, and nothing else.
    ///
    /// - Parameters:
    ///   - key: The public key.
    ///   - group: The group's name, which marks the line.
    ///   - output: The folder, as an absolute path.
    ///   - home: This user's home.
    /// - Throws: `GroupError` when the file of allowed keys cannot be written.
    static func allow(_ key: String, of group: String, toRead output: String, home: String) throws(GroupError)
    {
        let folder = home + "/.ssh"
        let path = folder + "/authorized_keys"
        let line = try allowance(of: key, of: group, toRead: output)
        do {
            try FileManager.default.createDirectory(
                atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        } catch {
            throw GroupError("\(folder.printable()) cannot be made. Ask for permission there, or make room.")
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

    /// The line that allows a key to read a folder by rsync.
    ///
    /// - Throws: `GroupError` when the key is none, or the folder's name cannot be in such a line.
    static func allowance(of key: String, of group: String, toRead output: String) throws(GroupError)
        -> String
    {
        let words = key.split { $0 == " " || $0 == "\n" }
        let plain = words.prefix(2).joined(separator: " ")
        guard isPublicKey(plain) else { throw GroupError("the key of the computer that collects is none.") }
        guard output.utf8.allSatisfy({ $0 >= 0x20 && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\") }),
            !output.contains("'")
        else {
            throw GroupError(
                "\(output.printable()): a folder with quotes or backslashes in its name cannot be collected from; choose another one with `--output`.",
                status: 2)
        }
        return "restrict,command=\"rrsync -ro '\(output)'\" \(plain) multicam-group-\(group)"
    }
}
