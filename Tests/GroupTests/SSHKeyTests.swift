import Testing

@testable import MulticamGroup

@Suite("SSH key for collection")
struct SSHKeyTests {
    @Test("the key may only run rsync in one folder")
    func allowance() throws {
        let line = try SSHKey.authorizedKeysLine(
            of: "ssh-ed25519 AAAAC3Nz multicam-group-studio\n", of: "studio",
            toRead: "/home/ann/my recordings")
        #expect(
            line
                == "restrict,command=\"rrsync -ro '/home/ann/my recordings'\" ssh-ed25519 AAAAC3Nz multicam-group-studio"
        )
    }

    @Test(
        "text that contains more than a key is rejected",
        arguments: [
            "", "command=\"sh\" ssh-ed25519 AAAA", "ssh-ed25519", "ssh-ed25519 AA\"AA x y z",
            "ssh-unknown AAAA",
        ])
    func wrong(key: String) {
        #expect(!SSHKey.isPublicKey(key))
    }

    @Test(
        "a folder name that would end the command is rejected",
        arguments: ["/a'b", "/a\"b", "/a\\b", "/a\nb"])
    func folders(folder: String) {
        #expect(throws: GroupError.self) {
            try SSHKey.authorizedKeysLine(of: "ssh-ed25519 AAAA", of: "studio", toRead: folder)
        }
    }

    @Test(
        "a session folder name with special characters is rejected",
        arguments: ["", ".", "..", "a/b", "-e", "a b", "$(x)", "a:b"])
    func names(name: String) {
        #expect(!RecordingCollector.isValidFolderName(name))
    }
}
