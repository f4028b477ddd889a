import Foundation
import MulticamQRCodes
import MulticamSessionFolder
import Testing

@testable import MulticamControlRoom
@testable import MulticamStudio

@Suite("Access of phones")
struct PhoneTokenTests {
    private let phoneToken = AccessToken.random()
    private let token = AccessToken.random()

    private func refusal(
        _ candidate: String?, path: String = WebServer.phonePath, origin: String? = "http://127.0.0.1:8470",
        isUpgrade: Bool = true
    ) -> Int? {
        let guardian = WebAccessPolicy(
            token: token, readToken: .random(), phoneToken: phoneToken, isEncrypted: false)
        var head = RequestHead(method: "GET", path: path, host: "127.0.0.1:8470", origin: origin)
        head.isUpgrade = isUpgrade
        if let candidate { head.query = ["token": candidate] }
        return guardian.refusal(of: head)?.status
    }

    @Test("the phone socket accepts only the phone token, and the token is rejected elsewhere")
    func place() {
        #expect(refusal(phoneToken.text) == nil)
        #expect(refusal(nil) == 401 && refusal("") == 401 && refusal(token.text) == 401)
        #expect(refusal(phoneToken.text, origin: nil) == 403)
        #expect(refusal(phoneToken.text, origin: "https://evil.example") == 403)
        #expect(refusal(phoneToken.text, isUpgrade: false) == 404)
        #expect(refusal(phoneToken.text, path: WebServer.phonePath + "s") == 404)
        for path in ["/api/v1/status", "/api/v1/program.jpg", "/api/v1/phones", "/api/v1/tally"] {
            #expect(refusal(phoneToken.text, path: path, isUpgrade: false) == 401, "\(path)")
        }
        #expect(refusal(phoneToken.text, path: WebServer.socketPath) == 401)
    }

    @Test("the token is stored only for this user, and regenerated if the file is invalid")
    func kept() throws {
        let folder = NSTemporaryDirectory() + "phone-token-\(UUID().uuidString)"
        let path = folder + "/phone-token"
        let first = AccessToken.loadOrCreate(at: path)
        #expect(AccessToken.loadOrCreate(at: path) == first)
        let attributes = try FileManager.default.attributesOfItem(atPath: path)
        #expect((attributes[.posixPermissions] as? Int).map { $0 & 0o077 } == 0)
        try Data("short".utf8).write(to: URL(fileURLWithPath: path))
        let second = AccessToken.loadOrCreate(at: path)
        #expect(second != first && AccessToken.loadOrCreate(at: path) == second)
        try FileManager.default.removeItem(atPath: folder)
    }

    @Test(
        "an invitation for a named phone contains the name in the link and in the code; invalid names are ignored"
    )
    func named() {
        let invitation = PhoneInvitation(address: "https://host:8470/phone#token=abc", isReachable: true)
        #expect(invitation.named("anna").address == "https://host:8470/phone#token=abc&name=anna")
        #expect(invitation.named("anna").json([]) != invitation.json([]))
        for name in [nil, "", "a b", "a&token=x", "ä", String(repeating: "a", count: 200)] {
            #expect(invitation.named(name).address == invitation.address)
        }
    }

    @Test("an invitation contains the link, and its QR code as rows of equal length")
    func invitation() throws {
        let invitation = PhoneInvitation(
            address: "https://10.0.0.5:8470/phone#token=\(phoneToken.text)", isReachable: true)
        let told = try #require(WebJSON.object(invitation.json([])))
        #expect(told["url"]?.string == invitation.address)
        let rows = (told["code"]?.array ?? []).compactMap(\.string)
        #expect(rows.count >= 21 && rows.allSatisfy { $0.count == rows.count })
        // The corner contains the finder pattern (ISO/IEC 18004, section 6.3.3).
        #expect(rows[0].hasPrefix("11111110") && rows[1].hasPrefix("10000010"))
        #expect(QRCode.modules(String(repeating: "x", count: 5000)).isEmpty)
    }
}
