package import MulticamMedia
internal import MulticamProfiles

/// The format that was chosen from the formats that a camera offers, and the reason for the choice.
package struct CameraFormatChoice: Equatable {
    /// The chosen format.
    let format: VideoFormat
    /// Sentence that explains why this format was chosen.
    let reason: String
    /// Frame rate of the camera's track.
    let trackRate: FrameRate

    /// Default camera size, used if the profile doesn't set a size.
    static let defaultSize = FrameSize(width: 1280, height: 720)
    /// Default frame rate of a camera, used if the profile doesn't set a rate.
    static let defaultRate: FrameRate = FrameRate(30)
    /// Camera size that is used if the camera doesn't reach the requested frame rate at any of its sizes.
    private static let fallbackSize = FrameSize(width: 640, height: 480)

    /// Chooses the format in which to open a camera.
    ///
    /// - Parameters:
    ///   - camera: The role with the profile's camera settings. This method chooses the settings that the
    ///     profile omits.
    ///   - device: The camera and its offered formats.
    ///   - rotation: The clockwise rotation that makes the camera's frames upright.
    ///   - isCopied: Whether the track stores the camera's frames unchanged. Unchanged frames require a compressed
    ///     format.
    ///   - source: The locations of the profile's fields, for error messages.
    /// - Returns: The best format that meets the settings. If the requested rate isn't offered, the nearest
    ///   rate is used.
    /// - Throws: `ProfileError` with the profile's field if the camera doesn't offer the requested pixel
    ///   format or size, if all camera sizes are smaller than the output, if a copied track would get raw
    ///   frames, or if the camera doesn't list any format or rate.
    static func choose(
        for camera: CameraRole, on device: PlannedDevice, rotation: Rotation, isCopied: Bool,
        source: ProfileSource
    ) throws(ProfileError) -> Self {
        try CameraFormatChooser(
            camera: camera, device: device, rotation: rotation, isCopied: isCopied, source: source
        ).choice()
    }

    /// Whether a camera's frame rate satisfies a requested frame rate. A camera may report 30 fps for 29.97
    /// fps and vice versa.
    package static func reaches(_ rate: FrameRate, _ wanted: FrameRate) -> Bool {
        rate.perSecond >= wanted.perSecond * 0.998
    }

    /// Returns the nominal frame rate for a rate that a driver reports. Drivers store frame intervals in
    /// units of 100 ns and therefore report 30.00003 fps instead of 30 fps.
    static func nominal(_ rate: FrameRate) -> FrameRate {
        let whole = rate.perSecond.rounded()
        return whole >= 1 && abs(rate.perSecond / whole - 1) < 0.0001 ? FrameRate(Int64(whole)) : rate
    }

    /// The implementation of `CameraFormatChoice.choose`.
    private struct CameraFormatChooser {
        let camera: CameraRole
        let offered: [OfferedFormat]
        let isCopied: Bool
        let isFile: Bool
        let source: ProfileSource
        let rotation: Rotation
        let wantedRate: FrameRate

        init(
            camera: CameraRole, device: PlannedDevice, rotation: Rotation, isCopied: Bool,
            source: ProfileSource
        ) {
            self.camera = camera
            self.isCopied = isCopied
            isFile = device.device.deviceType == .file
            self.source = source
            self.rotation = rotation
            // If the track's rate is below the default camera rate, the camera runs at the default rate, and
            // the track is decimated.
            wantedRate = camera.rate ?? max(camera.output?.rate ?? defaultRate, defaultRate)
            let output = camera.output?.size.map { rotation.swapsSides ? $0.transposed : $0 }
            offered =
                switch device.offers {
                case .listed(let formats): formats
                case .any(let pixel, let size, let rate):
                    [
                        OfferedFormat(
                            pixel: pixel ?? camera.format.pixel ?? .mjpeg,
                            size: size ?? camera.size ?? output ?? defaultSize,
                            rates: .listed([rate ?? wantedRate]))
                    ]
                }
        }

        func choice() throws(ProfileError) -> CameraFormatChoice {
            let fitting = try compressedIfCopied(matchingSize(matchingPixelFormat()))
            let size = try size(of: fitting)
            let candidates = fitting.filter { $0.size == size }.compactMap { format in
                format.rate(for: wantedRate).map { VideoFormat(pixel: format.pixel, size: size, rate: $0) }
            }
            guard let format = candidates.min(by: { rank($0) < rank($1) }) else {
                throw error(
                    "device", found: "a camera without a usable frame rate", expected: "another camera")
            }
            return CameraFormatChoice(format: format, reason: reason(format), trackRate: trackRate(format))
        }

        /// Returns the frame rate requested for the track. A copied H.264 stream can't be decimated, so the
        /// track uses the camera's frame rate.
        private func trackRate(_ format: VideoFormat) -> FrameRate {
            guard let rate = camera.output?.rate ?? camera.rate else { return nominal(format.rate) }
            let isSurplus = format.rate.perSecond > rate.perSecond * 1.002
            return isCopied && format.pixel == .h264 && isSurplus ? nominal(format.rate) : rate
        }

        private func matchingPixelFormat() throws(ProfileError) -> [OfferedFormat] {
            guard !offered.isEmpty else {
                throw error(
                    "device", found: "“\(camera.device)”, which does not offer a usable format",
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

        private func matchingSize(_ formats: [OfferedFormat]) throws(ProfileError) -> [OfferedFormat] {
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
            let what =
                isFile
                ? "“copy” for camera \(camera.role), which plays a file that is not in Motion JPEG format"
                : "“copy” for camera \(camera.role), which delivers raw \(raw.pixel.rawValue) frames"
            let others =
                compressed.isEmpty
                ? "" : ", or one of these formats for \(camera.role): \(Self.list(compressed))"
            let field = source.has("tracks.cameras") ? "tracks.cameras" : "cameras.\(camera.role).format"
            if SourceAddress.handles(camera.device), compressed.isEmpty {
                throw source.error(
                    at: field,
                    found:
                        "“copy” for camera \(camera.role), which sends a stream that contains B-frames or is neither H.264 nor Motion JPEG",
                    expected:
                        "encode (tracks: { cameras: encode }), or a camera that sends H.264 without B-frames (Baseline profile)"
                )
            }
            throw source.error(
                at: field, found: what,
                expected: "encode (tracks: { cameras: encode })\(others)")
        }

        private func size(of formats: [OfferedFormat]) throws(ProfileError) -> FrameSize {
            if let asked = camera.size { return asked }
            return try sizeForOutput(formats) ?? nearestSize(formats)
        }

        /// Returns the smallest camera size that doesn't require upscaling for the role's output. Sizes that
        /// reach the requested frame rate are preferred.
        private func sizeForOutput(_ formats: [OfferedFormat]) throws(ProfileError) -> FrameSize? {
            guard let output = camera.output?.size else { return nil }
            let covering = formats.filter { camera.covers(output, from: $0.size, rotation: rotation) }
            guard !covering.isEmpty else {
                let largest = formats.map(\.size).max { $0.pixelCount < $1.pixelCount }
                throw error(
                    "output", found: "“\(output)”, which is larger than any size that the camera offers",
                    expected:
                        "a size no larger than \(largest?.description ?? "none"), because frames are never upscaled"
                )
            }
            let fast = covering.filter { $0.highestRate.map { reaches($0, wantedRate) } ?? false }
            return (fast.isEmpty ? covering : fast).map(\.size).min {
                ($0.pixelCount, $0.width) < ($1.pixelCount, $1.width)
            }
        }

        /// Returns the camera size nearest to 1280×720 that reaches the requested frame rate, or 640×480 if
        /// no size reaches it.
        private func nearestSize(_ formats: [OfferedFormat]) -> FrameSize {
            let fast = formats.filter { $0.highestRate.map { reaches($0, wantedRate) } ?? false }
            if fast.isEmpty, formats.contains(where: { $0.size == fallbackSize }) { return fallbackSize }
            func distance(_ size: FrameSize) -> (Int, Int) {
                (abs(size.width - defaultSize.width) + abs(size.height - defaultSize.height), size.pixelCount)
            }
            let sizes = (fast.isEmpty ? formats : fast).map(\.size)
            return sizes.min { distance($0) < distance($1) } ?? defaultSize
        }

        /// Returns the sort key for formats. H.264 ranks last because H.264 frames depend on each other. The
        /// other criteria are, in order: a rate that reaches the requested rate, MJPEG because it uses a
        /// tenth of the bus bandwidth of raw frames, the pixel format that is cheapest to convert, and the
        /// rate nearest to the requested rate.
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
                    "the requested size"
                } else if let output = camera.output?.size {
                    "the smallest supported size that covers \(output)"
                } else {
                    "the supported size nearest to \(defaultSize) at \(wantedRate) fps"
                }
            let pixel =
                camera.format == .auto
                ? "\(format.pixel.rawValue) preferred" : "\(format.pixel.rawValue) as requested"
            let rate =
                if abs(format.rate.perSecond / wantedRate.perSecond - 1) <= 0.002 {
                    camera.rate == nil ? "the default rate of 30 fps" : "the requested rate"
                } else if reaches(format.rate, wantedRate) {
                    "the lowest supported rate above \(wantedRate) fps"
                } else {
                    "the highest supported rate"
                }
            return "\(format): \(size), \(pixel), \(rate)."
        }

        private func error(_ field: String, found: String, expected: String) -> ProfileError {
            source.error(at: "cameras.\(camera.role).\(field)", found: found, expected: expected)
        }

        /// Formats the list of offered formats, each once, in the camera's order.
        private static func list(_ formats: [OfferedFormat]) -> String {
            var seen: Set<String> = []
            return formats.map(\.description).filter { seen.insert($0).inserted }.joined(separator: "; ")
        }
    }
}

extension CameraRole.Format {
    /// Pixel format requested by the profile; `nil` for `auto`.
    var pixel: PixelFormat? { PixelFormat(rawValue: rawValue) }
}
