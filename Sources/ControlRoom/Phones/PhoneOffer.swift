internal import FoundationEssentials
internal import Media

/// What a phone is going to send, read from its first message, which anybody may have written.
struct PhoneOffer: Sendable, Equatable {
    /// Why an offer is refused, as a sentence for the phone's user.
    struct Refusal: Error, Equatable {
        let sentence: String
    }

    /// The name that its user chose.
    let name: String
    /// The selector of the camera and the microphone.
    let selector: String
    /// By which the same phone is known again.
    let key: String
    let format: VideoFormat
    let color: ColorDescription
    /// The format of its audio; `nil` for none.
    let audio: AudioFormat?
    /// Whether the phone's browser tells when a frame was captured, and not only when it came.
    let knowsCapture: Bool

    /// Who dates what it sends. No browser tells when audio was captured.
    func origin(of kind: PhoneMedia.Kind) -> TimeOrigin { knowsCapture && kind != .pcm ? .mapped : .arrival }

    private struct Text: Decodable {
        struct Audio: Decodable {
            var rate: Int
            var channels: Int
        }
        var name: String
        var key: String
        var video: PhoneFormat
        var audio: Audio?
        var dated: String
    }

    private static let keyLengths = 16...64

    /// Reads an offer.
    ///
    /// - Parameter text: An object of JSON.
    /// - Throws: `Refusal` when it cannot be taken.
    init(_ text: String) throws(Refusal) {
        let told: Text
        do {
            told = try JSONDecoder().decode(Text.self, from: Data(text.utf8))
        } catch {
            throw Refusal(sentence: "The page on the phone is of another version: load it again.")
        }
        guard let selector = PhoneSelector.selector(of: told.name) else {
            throw Refusal(
                sentence: "A name has 1 to 32 letters, digits, - and _, and begins with a letter or digit.")
        }
        guard Self.keyLengths.contains(told.key.utf8.count) else {
            throw Refusal(sentence: "The phone's key is none: load the page again.")
        }
        guard let format = told.video.video else {
            throw Refusal(
                sentence:
                    "The phone's camera has no format that can be recorded: H.264 or JPEG, up to 4096 pixels a side and 120 frames a second."
            )
        }
        if let audio = told.audio {
            guard (8_000...192_000).contains(audio.rate), (1...2).contains(audio.channels) else {
                throw Refusal(sentence: "The phone's microphone has no format that can be recorded.")
            }
        }
        (name, self.selector, key) = (told.name, selector, told.key)
        (self.format, color) = (format, told.video.color)
        audio = told.audio.map { AudioFormat(rate: $0.rate, channels: $0.channels) }
        knowsCapture = told.dated == "capture"
    }
}
