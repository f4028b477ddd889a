internal import QRCodes
internal import SessionFolder

/// The link that makes a phone a camera, for the control room's page.
struct PhoneInvitation {
    /// The address of the phone's page, with the token that lets phones in and nobody do anything else.
    let address: String
    /// Whether other devices can reach it; otherwise it is for a browser on this computer alone.
    let isReachable: Bool
    /// The address as a code, row by row; 1 is dark.
    private let code: JSONValue

    init(address: String, isReachable: Bool) {
        (self.address, self.isReachable) = (address, isReachable)
        code = .array(
            QRCode.modules(address).map { row in
                .string(String(row.map { isBlack -> Character in isBlack ? "1" : "0" }))
            })
    }

    /// The link as a code, and the phones that have come, as JSON.
    ///
    /// - Parameter phones: The phones.
    /// - Returns: An object of JSON.
    func json(_ phones: [JSONValue]) -> String {
        WebJSON.text([
            "url": JSONValue.string(address), "reachable": .boolean(isReachable), "code": code,
            "phones": .array(phones),
        ])
    }
}
