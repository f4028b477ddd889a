/// The profile and level of an H.264 stream, as its sequence parameter set states them.
struct H264Profile: Equatable {
    /// `profile-level-id` of RFC 6184: profile, constraints and level in six hexadecimal digits.
    let levelID: String

    /// Reads Annex B parameter sets; `nil` where there is no sequence parameter set among them.
    init?(_ setup: [UInt8]) {
        let startCode: [UInt8] = [0, 0, 1]
        let place = setup.indices.dropLast(6).first { index in
            setup[index..<index + 3].elementsEqual(startCode) && setup[index + 3] & 0x1f == 7
        }
        guard let place else { return nil }
        let hex = setup[(place + 4)..<(place + 7)].map { byte in
            (byte < 16 ? "0" : "") + String(byte, radix: 16)
        }
        levelID = hex.joined()
    }
}
