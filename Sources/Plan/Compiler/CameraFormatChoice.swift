package import Media
internal import Profiles

/// The format that a camera is opened with, chosen from those that it offers, and why.
package struct CameraFormatChoice: Equatable {
    /// The chosen format.
    let format: VideoFormat
    /// A sentence that says why this format was chosen.
    let reason: String
    /// The rate of the camera's track.
    let trackRate: FrameRate

    /// The size of a camera for which none is asked.
    static let usualSize = FrameSize(width: 1280, height: 720)
    /// The rate of a camera for which none is asked.
    static let usualRate: FrameRate = FrameRate(30)
    /// The size where no offered size reaches the wanted rate.
    private static let fallbackSize = FrameSize(width: 640, height: 480)

    /// Chooses the format that a camera is opened with.
    ///
    /// - Parameters:
    ///   - camera: The role with the profile's wishes; what they leave open is chosen here.
    ///   - device: The camera with the formats that it offers.
    ///   - rotation: The clockwise rotation that makes its frames upright.
    ///   - isCopied: Whether the track is a copy of the camera's own frames, which must then be compressed.
    ///   - source: The places of the profile's fields, for errors.
    /// - Returns: The best format that meets the wishes; of a rate that is not offered, the nearest.
    /// - Throws: `ProfileError` with the profile's field, when the camera has no such pixel format or size, no size as large as
    ///   its output, only raw frames to be copied, or no format or rate at all.
    static func choose(
        for camera: CameraRole, on device: PlannedDevice, rotation: Rotation, isCopied: Bool,
        source: ProfileSource
    ) throws(ProfileError) -> Self {
        try CameraFormatChooser(
            camera: camera, device: device, rotation: rotation, isCopied: isCopied, source: source
        ).choice()
    }

    /// Whether a camera at one rate serves a wish for another: cameras say 30 for 29.97 and the other way round.
    package static func reaches(_ rate: FrameRate, _ wanted: FrameRate) -> Bool {
        rate.perSecond >= wanted.perSecond * 0.998
    }

    /// The rate that people mean: drivers count in units of 100 ns and report 30.00003 for 30.
    static func nominal(_ rate: FrameRate) -> FrameRate {
        let whole = rate.perSecond.rounded()
        return whole >= 1 && abs(rate.perSecond / whole - 1) < 0.0001 ? FrameRate(Int64(whole)) : rate
    }

    /// The steps of `choose`.
    private struct CameraFormatChooser {
        let camera: CameraRole
        let offered: [OfferedFormat]
        let isCopied: Bool
        let source: ProfileSource
        let rotation: Rotation
        let wantedRate: FrameRate

        init(
            camera: CameraRole, device: PlannedDevice, rotation: Rotation, isCopied: Bool,
            source: ProfileSource
        ) {
            self.camera = camera
            self.isCopied = isCopied
            self.source = source
            self.rotation = rotation
            // A track of a lower rate leaves frames out, and the camera keeps its usual rate.
            wantedRate = camera.rate ?? max(camera.output?.rate ?? usualRate, usualRate)
            let output = camera.output?.size.map { rotation.swapsSides ? $0.turned : $0 }
            offered =
                switch device.offers {
                case .listed(let formats): formats
                case .whatever(let pixel, let size, let rate):
                    [
                        OfferedFormat(
                            pixel: pixel ?? camera.format.pixel ?? .mjpeg,
                            size: size ?? camera.size ?? output ?? usualSize,
                            rates: .listed([rate ?? wantedRate]))
                    ]
                }
        }

        func choice() throws(ProfileError) -> CameraFormatChoice {
            let fitting = try compressedIfCopied(ofSize(ofPixel()))
            let size = try size(of: fitting)
            let candidates = fitting.filter { $0.size == size }.compactMap { format in
                format.rate(for: wantedRate).map { VideoFormat(pixel: format.pixel, size: size, rate: $0) }
            }
            guard let format = candidates.min(by: { rank($0) < rank($1) }) else {
                throw error("device", found: "a camera that offers no rate", expected: "another camera")
            }
            return CameraFormatChoice(format: format, reason: reason(format), trackRate: trackRate(format))
        }

        /// The rate that is asked for the track. No frame of a copied H.264 stream can be left out, so its track is as fast as
        /// the camera.
        private func trackRate(_ format: VideoFormat) -> FrameRate {
            guard let rate = camera.output?.rate ?? camera.rate else { return nominal(format.rate) }
            let isSurplus = format.rate.perSecond > rate.perSecond * 1.002
            return isCopied && format.pixel == .h264 && isSurplus ? nominal(format.rate) : rate
        }

        private func ofPixel() throws(ProfileError) -> [OfferedFormat] {
            guard !offered.isEmpty else {
                throw error(
                    "device", found: "“\(camera.device)”, a camera that offers no format",
                    expected: "another camera")
            }
            guard let pixel = camera.format.pixel else {
                let colored = offered.filter { $0.pixel != .grey }
                return colored.isEmpty ? offered : colored
            }
            let fitting = offered.filter { $0.pixel == pixel }
            guard !fitting.isEmpty else {
                throw error(
                    "format", found: "“\(pixel.rawValue)”, which the camera does not offer",
                    expected: "auto or one of \(Self.list(offered))")
            }
            return fitting
        }

        private func ofSize(_ formats: [OfferedFormat]) throws(ProfileError) -> [OfferedFormat] {
            guard let size = camera.size else { return formats }
            let fitting = formats.filter { $0.size == size }
            guard !fitting.isEmpty else {
                let kind = camera.format == .auto ? "" : " as \(camera.format.rawValue)"
                guard let preset = SizePreset(size) else {
                    throw error(
                        "size", found: "“\(size)”, which the camera does not offer\(kind)",
                        expected: "one of \(Self.list(formats))")
                }
                let presets = SizePreset.offered(by: formats).map(\.rawValue)
                throw error(
                    "size", found: "\(preset.rawValue) (\(size)), which the camera does not offer\(kind)",
                    expected: presets.isEmpty
                        ? "one of \(Self.list(formats))"
                        : "\(ProfileValue.list(presets)), or one of \(Self.list(formats))")
            }
            return fitting
        }

        private func compressedIfCopied(_ formats: [OfferedFormat]) throws(ProfileError) -> [OfferedFormat] {
            guard isCopied else { return formats }
            let fitting = formats.filter(\.pixel.isCompressed)
            guard fitting.isEmpty, let raw = formats.first else { return fitting }
            let compressed = offered.filter(\.pixel.isCompressed)
            let others = compressed.isEmpty ? "" : ", or for \(camera.role) one of \(Self.list(compressed))"
            let field = source.has("tracks.cameras") ? "tracks.cameras" : "cameras.\(camera.role).format"
            throw source.error(
                at: field, found: "“copy” of the raw \(raw.pixel.rawValue) frames of \(camera.role)",
                expected: "encode (tracks: { cameras: encode })\(others)")
        }

        private func size(of formats: [OfferedFormat]) throws(ProfileError) -> FrameSize {
            if let asked = camera.size { return asked }
            return try sizeForOutput(formats) ?? nearestSize(formats)
        }

        /// The smallest size that makes the role's output without enlarging, among those fast enough if there are any.
        private func sizeForOutput(_ formats: [OfferedFormat]) throws(ProfileError) -> FrameSize? {
            guard let output = camera.output?.size else { return nil }
            let covering = formats.filter { camera.covers(output, from: $0.size, rotation: rotation) }
            guard !covering.isEmpty else {
                let largest = formats.map(\.size).max { $0.pixelCount < $1.pixelCount }
                throw error(
                    "output", found: "“\(output)”, which is more than any of its camera's frames have",
                    expected:
                        "less, since nothing is enlarged: its largest are \(largest?.description ?? "none")")
            }
            let fast = covering.filter { $0.highestRate.map { reaches($0, wantedRate) } ?? false }
            return (fast.isEmpty ? covering : fast).map(\.size).min {
                ($0.pixelCount, $0.width) < ($1.pixelCount, $1.width)
            }
        }

        /// The size nearest to 1280×720 that reaches the wanted rate; where none does, 640×480.
        private func nearestSize(_ formats: [OfferedFormat]) -> FrameSize {
            let fast = formats.filter { $0.highestRate.map { reaches($0, wantedRate) } ?? false }
            if fast.isEmpty, formats.contains(where: { $0.size == fallbackSize }) { return fallbackSize }
            func distance(_ size: FrameSize) -> (Int, Int) {
                (abs(size.width - usualSize.width) + abs(size.height - usualSize.height), size.pixelCount)
            }
            let sizes = (fast.isEmpty ? formats : fast).map(\.size)
            return sizes.min { distance($0) < distance($1) } ?? usualSize
        }

        /// The order of preference: H.264 last, as its frames depend on each other; then formats that are fast enough; then
        /// MJPEG, which takes a tenth of the bus; then the least conversion; then the rate nearest to the wanted one.
        private func rank(_ format: VideoFormat) -> (Int, Int, Int, Double) {
            let order: [PixelFormat] = [
                .mjpeg, .yuyv, .nv12, .uyvy, .i420, .i422, .bgra, .converted, .grey, .h264,
            ]
            return (
                format.pixel == .h264 ? 1 : 0, reaches(format.rate, wantedRate) ? 0 : 1,
                order.firstIndex(of: format.pixel) ?? order.count,
                abs(format.rate.perSecond - wantedRate.perSecond)
            )
        }

        private func reason(_ format: VideoFormat) -> String {
            let size =
                if camera.size != nil {
                    "the size as asked"
                } else if let output = camera.output?.size {
                    "the smallest offered size that makes \(output) without enlarging"
                } else {
                    "the offered size nearest to \(usualSize) at \(wantedRate)"
                }
            let pixel =
                camera.format == .auto
                ? "\(format.pixel.rawValue) preferred" : "\(format.pixel.rawValue) as asked"
            let rate =
                if abs(format.rate.perSecond / wantedRate.perSecond - 1) <= 0.002 {
                    camera.rate == nil ? "30 as nothing is asked" : "the rate as asked"
                } else if reaches(format.rate, wantedRate) {
                    "the offered rate nearest above \(wantedRate)"
                } else {
                    "the highest offered rate"
                }
            return "\(format): \(size), \(pixel), \(rate)."
        }

        private func error(_ field: String, found: String, expected: String) -> ProfileError {
            source.error(at: "cameras.\(camera.role).\(field)", found: found, expected: expected)
        }

        /// Every offered format once, in the camera's order.
        private static func list(_ formats: [OfferedFormat]) -> String {
            var seen: Set<String> = []
            return formats.map(\.description).filter { seen.insert($0).inserted }.joined(separator: "; ")
        }
    }
}

extension CameraRole.Format {
    /// The pixel format that the profile names; `nil` for `auto`.
    var pixel: PixelFormat? { PixelFormat(rawValue: rawValue) }
}
