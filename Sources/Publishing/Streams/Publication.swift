internal import Media

/// What one publication sends where: a request of the recorder, checked.
struct Publication: Sendable, Equatable {
    let name: String
    let address: DestinationAddress
    let token: Secret?
    /// `program`, or a role.
    let source: String
    /// What an own encoder makes; `nil` for the recording's packets, and for devices.
    let encoder: LiveRatePolicy.Level?
    /// Size of raw frames; `nil` for the source's.
    let size: FrameSize?
    /// Most raw frames a second; `nil` for all.
    let rate: FrameRate?
    let includesStandby: Bool

    static let program = "program"
    /// The rate that a source has of which nothing is said.
    static let usualRate = FrameRate(30, per: 1)
    private static let bitrates = 50_000...100_000_000
    private static let longestName = 64

    /// Checks a request.
    ///
    /// - Throws: `PublishingError` with a sentence without secrets.
    init(_ request: LiveRequest) throws(PublishingError) {
        guard !request.name.isEmpty, request.name.utf8.count <= Self.longestName,
            request.name.printable() == request.name
        else {
            throw .refused(
                "a publication needs a name of at most \(Self.longestName) bytes that can be printed.")
        }
        name = request.name
        do throws(DestinationAddressError) {
            address = try DestinationAddress(request.url.value)
        } catch {
            throw .refused(error.description)
        }
        (token, source, includesStandby) = (request.token, request.of, request.standby)
        size = request.video?.size
        rate = try request.video?.rate.map { text throws(PublishingError) in
            guard let rate = FrameRate(text), rate.perSecond >= 1, rate.perSecond <= 240 else {
                throw .refused("`rate` of \(request.name): expected 1 to 240 frames a second.")
            }
            return rate
        }
        if let size {
            guard size.width % 2 == 0, size.height % 2 == 0, (32...7680).contains(size.width),
                (32...4320).contains(size.height)
            else { throw .refused("`size` of \(request.name): expected even sides from 32x32 to 7680x4320.") }
        }
        guard address.kind.connection.content.video else {
            encoder = nil
            return
        }
        guard let video = request.video else {
            guard source == Self.program else {
                throw .refused(
                    "\(request.name) sends a camera, which nobody encodes for it: give it `video: { size, rate, bitrate }`."
                )
            }
            encoder = nil
            return
        }
        guard let size, let bitrate = video.bitrate, Self.bitrates.contains(bitrate) else {
            throw .refused(
                "`video` of \(request.name): expected `size`, and `bitrate` from 50k to 100M, for an encoder of its own."
            )
        }
        encoder = LiveRatePolicy.Level(size: size, rate: rate ?? Self.usualRate, bitrate: bitrate)
    }
}
