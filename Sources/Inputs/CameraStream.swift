internal import Media

/// One source of a camera's input, with what belongs to this source alone.
final class CameraStream: Sendable {
    let source: any CameraSource
    /// Time from the scene to the time stamp, subtracted from every stamp.
    let latency: Nanoseconds
    let decoder: StreamDecoder?
    /// How many sources the input had before this one.
    let number: Int
    /// Where the source's events go.
    let route: CameraRoute
    /// Whether time stamps are exact: those of a file, and of a screen, which this computer looks at.
    let hasExactTimes: Bool

    init(
        source: any CameraSource, latency: Nanoseconds, decoder: StreamDecoder?, number: Int = 0,
        route: CameraRoute = CameraRoute()
    ) {
        self.source = source
        self.latency = latency
        self.decoder = decoder
        self.number = number
        self.route = route
        hasExactTimes = source.device.deviceType.hasExactTimes
    }

    /// The same source in another input, which had so many sources before it.
    func numbered(_ number: Int) -> CameraStream {
        CameraStream(source: source, latency: latency, decoder: decoder, number: number, route: route)
    }
}
