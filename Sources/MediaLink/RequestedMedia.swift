package import MulticamInputs
internal import MulticamMedia

/// The data that a subscription requests.
package enum RequestedMedia: Sendable, Equatable {
    case status
    case events(history: Bool)
    case packets(includesStandby: Bool)
    case audio(role: String)
    case metadata(role: String)
    case frames(role: String, FrameRequest, isPreview: Bool)

    /// Parses a message header of type `want`.
    ///
    /// - Throws: `MediaLinkError` with a message that lists the possible requests.
    package init(_ header: MediaHeader) throws(MediaLinkError) {
        switch header.of {
        case "status": self = .status
        case "events": self = .events(history: header.history ?? false)
        case "packets": self = .packets(includesStandby: header.standby ?? false)
        case "audio":
            guard let role = header.role else { throw Self.missingRole }
            self = .audio(role: role)
        case "metadata":
            guard let role = header.role else { throw Self.missingRole }
            self = .metadata(role: role)
        case "frames":
            guard let role = header.role else { throw Self.missingRole }
            self = .frames(role: role, try Self.request(header), isPreview: header.preview ?? false)
        default:
            throw MediaLinkError(
                "invalid `of` “\((header.of ?? "").printable(limit: 40))”: expected `status`, `events`, `frames`, `audio`, `metadata`, or `packets`."
            )
        }
    }

    private static let missingRole = MediaLinkError(
        "`role` is missing: expected `program`, or the role of a camera or microphone.")

    private static func request(_ header: MediaHeader) throws(MediaLinkError) -> FrameRequest {
        var request = FrameRequest()
        switch header.format ?? "captured" {
        case "captured": break
        case "nv12": request.format = .converted(.nv12)
        case "i420": request.format = .converted(.i420)
        case "bgra": request.format = .converted(.bgra)
        default:
            throw MediaLinkError(
                "invalid `format` “\((header.format ?? "").printable(limit: 40))”: expected `captured`, `nv12`, `i420`, or `bgra`."
            )
        }
        if let numbers = header.part {
            guard numbers.count == 4,
                let part = FramePart(x: numbers[0], y: numbers[1], width: numbers[2], height: numbers[3])
            else {
                throw MediaLinkError(
                    "`part` must be x, y, width, and height as fractions of the frame from 0 to 1, for example [0.25, 0, 0.5, 1]."
                )
            }
            request.part = part
        }
        if header.width != nil || header.height != nil {
            guard let size = header.size, size.width >= 2, size.height >= 2, size.width <= 7680,
                size.height <= 4320, (size.width | size.height) & 1 == 0
            else { throw MediaLinkError("`width` and `height` must be even, from 2x2 to 7680x4320.") }
            request.size = size
        }
        if let text = header.rate {
            guard let rate = FrameRate(text) else {
                throw MediaLinkError("`rate` must be in frames per second, such as \"15\" or \"30000/1001\".")
            }
            request.rate = rate
        }
        return request
    }

    /// Returns the message header that requests this data.
    ///
    /// - Parameter id: ID of the subscription, chosen by the sender.
    /// - Returns: A message header of type `want`.
    package func header(id: Int) -> MediaHeader {
        var header = MediaHeader("want", id: id)
        switch self {
        case .status: header.of = "status"
        case .events(let history):
            header.of = "events"
            if history { header.history = true }
        case .packets(let includesStandby): (header.of, header.standby) = ("packets", includesStandby)
        case .audio(let role): (header.of, header.role) = ("audio", role)
        case .metadata(let role): (header.of, header.role) = ("metadata", role)
        case .frames(let role, let request, let isPreview):
            (header.of, header.role) = ("frames", role)
            if case .converted(let pixel) = request.format { header.format = pixel.rawValue }
            header.part = request.part.map { [$0.x, $0.y, $0.width, $0.height] }
            (header.width, header.height) = (request.size?.width, request.size?.height)
            header.rate = request.rate?.description
            header.preview = isPreview
        }
        return header
    }
}
