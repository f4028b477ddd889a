import Testing

@testable import Group

@Suite("The key that collects")
struct SSHKeyTests {
    @Test("may run rsync in one folder, and nothing else")
    func allowance() throws {
        let line = try SSHKey.allowance(
            of: "ssh-ed25519 AAAAC3Nz multicam-group-studio\n", of: "studio",
            toRead: "/home/ann/my recordings")
        #expect(
            line
                == "restrict,command=\"rrsync -ro '/home/ann/my recordings'\" ssh-ed25519 AAAAC3Nz multicam-group-studio"
        )
    }

    @Test(
        "is refused when it would say more than a key",
        arguments: [
            "", "command=\"sh\" ssh-ed25519 AAAA", "ssh-ed25519", "ssh-ed25519 AA\"AA x y z",
            "ssh-unknown AAAA",
        ])
    func wrong(key: String) {
        #expect(!SSHKey.isPublicKey(key))
    }

    @Test(
        "is refused for a folder whose name would end its command",
        arguments: ["/a'b", "/a\"b", "/a\\b", "/a\nb"])
    func folders(folder: String) {
        #expect(throws: GroupError.self) {
            try SSHKey.allowance(of: "ssh-ed25519 AAAA", of: "studio", toRead: folder)
        }
    }

    @Test(
        "a session folder's name that would be more than one is none",
        arguments: ["", ".", "..", "a/b", "-e", "a b", "$(x)", "a:b"])
    func names(name: String) {
        #expect(!Collection.isFolder(name))
    }
}
