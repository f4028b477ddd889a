internal import MulticamMedia

/// The formats that a camera can be reduced to: the offered formats below the current format whose size and
/// rate aren't below the budget's minimum.
struct CameraRungs {
    let offers: PlannedDevice.Offers
    let floorSize: FrameSize
    let floorRate: FrameRate
    /// Whether only sizes with the current aspect ratio are allowed. At another aspect ratio, a crop would
    /// show a different part of the scene.
    let keepsShape: Bool

    /// Returns formats with smaller frames at the same rate, best first: sizes with the preferred aspect
    /// ratio in descending order, followed by all other sizes.
    ///
    /// - Parameters:
    ///   - format: The current format. The returned width and height aren't larger than the current ones, and
    ///     not smaller than the budget's minimum.
    ///   - shape: A size with the preferred aspect ratio.
    /// - Returns: Formats with the same pixel format.
    func smaller(than format: VideoFormat, shapedLike shape: FrameSize) -> [VideoFormat] {
        let fitting = offered(as: format.pixel, beside: format.size).filter { size, _ in
            size.pixelCount < format.size.pixelCount && size.width <= format.size.width
                && size.height <= format.size.height && reachesFloor(size)
                && (!keepsShape || Self.haveSameShape(size, shape))
        }
        var best: [FrameSize: FrameRate] = [:]
        for (size, rates) in fitting {
            guard let rate = rates.rate(for: format.rate),
                CameraFormatChoice.reaches(rate, format.rate)
            else { continue }
            best[size] = best[size].map { min($0, rate) } ?? rate
        }
        func rank(_ size: FrameSize) -> (Int, Int, Int) {
            (Self.haveSameShape(size, shape) ? 0 : 1, -size.pixelCount, -size.width)
        }
        return best.sorted { rank($0.key) < rank($1.key) }.map {
            VideoFormat(pixel: format.pixel, size: $0.key, rate: $0.value)
        }
    }

    /// Returns formats with lower frame rates at the same size, in descending order, in steps of about 10
    /// fps.
    func slower(than format: VideoFormat) -> [VideoFormat] {
        let sets = offered(as: format.pixel, beside: format.size).filter { $0.size == format.size }.map(
            \.rates)
        var listed: [FrameRate] = []
        for rates in sets {
            switch rates {
            case .listed(let offered): listed += offered
            case .any(let lowest, let highest):
                listed += Self.steps(below: format.rate, floor: max(floorRate, lowest)).filter {
                    $0 <= highest
                }
            }
        }
        let fitting = listed.filter { CameraFormatChoice.reaches($0, floorRate) }
        var rungs: [VideoFormat] = []
        var rate = format.rate
        while let next = Self.nearest(toTenBelow: rate, among: fitting) {
            rungs.append(VideoFormat(pixel: format.pixel, size: format.size, rate: next))
            rate = next
        }
        return rungs
    }

    /// Returns an MJPEG format of the same size, at the current frame rate or a higher rate up to the
    /// requested rate; `nil` if the camera doesn't offer such a format or already delivers compressed frames.
    func asJPEG(_ format: VideoFormat, wanted: FrameRate) -> VideoFormat? {
        guard !format.pixel.isCompressed else { return nil }
        let limit = max(format.rate, wanted).perSecond * 1.002
        let rates = offered(as: .mjpeg, beside: format.size).filter { $0.size == format.size }.compactMap {
            $0.rates.rate(for: format.rate)
        }
        return
            rates.filter { CameraFormatChoice.reaches($0, format.rate) && $0.perSecond <= limit }.min().map {
                VideoFormat(pixel: .mjpeg, size: format.size, rate: $0)
            }
    }

    /// Returns frame rates in steps of 10 fps down to a minimum, for sources that accept any rate.
    static func steps(below rate: FrameRate, floor: FrameRate) -> [FrameRate] {
        var steps: [FrameRate] = []
        var last = rate
        while last.perSecond > floor.perSecond * 1.002 {
            let ten: Int64 = last.seconds == 1001 ? 10_000 : 10 * last.seconds
            let next = last.frames > ten ? FrameRate(last.frames - ten, per: last.seconds) : floor
            last = max(next, floor)
            steps.append(last)
        }
        return steps
    }

    /// Whether two sizes have the same nominal aspect ratio. Camera sizes such as 1366×768 and 848×480 count as 16:9.
    static func haveSameShape(_ size: FrameSize, _ other: FrameSize) -> Bool {
        let (one, two) = (size.width * other.height, other.width * size.height)
        return abs(one - two) * 50 <= max(one, two)
    }

    /// Compares longer sides with longer sides, because width and height are swapped for a camera mounted
    /// sideways.
    private func reachesFloor(_ size: FrameSize) -> Bool {
        max(size.width, size.height) >= max(floorSize.width, floorSize.height)
            && min(size.width, size.height) >= min(floorSize.width, floorSize.height)
    }

    private static func nearest(toTenBelow rate: FrameRate, among rates: [FrameRate]) -> FrameRate? {
        func distance(_ other: FrameRate) -> (Double, Double) {
            (abs(rate.perSecond - 10 - other.perSecond), -other.perSecond)
        }
        return rates.filter { $0.perSecond < rate.perSecond * 0.998 }.min { distance($0) < distance($1) }
    }

    /// Returns the sizes and rates that the camera offers in a pixel format. A synthetic camera offers its current size
    /// in addition to the usual sizes.
    private func offered(
        as pixel: PixelFormat, beside present: FrameSize
    ) -> [(size: FrameSize, rates: OfferedFormat.Rates)] {
        switch offers {
        case .listed(let formats): return formats.filter { $0.pixel == pixel }.map { ($0.size, $0.rates) }
        case .any(let fixedPixel, let fixedSize, let fixedRate):
            guard fixedPixel == nil || fixedPixel == pixel else { return [] }
            let rates: OfferedFormat.Rates =
                fixedRate.map { .listed([$0]) } ?? .any(from: FrameRate(1), through: FrameRate(1000))
            let sizes = fixedSize.map { [$0] } ?? Self.usualSizes
            return (sizes.contains(present) ? sizes : sizes + [present]).map { ($0, rates) }
        }
    }

    /// Common webcam sizes. A synthetic camera also offers these sizes, although it could deliver any size.
    private static let usualSizes = [
        (3840, 2160), (2560, 1440), (1920, 1080), (1280, 720), (960, 540), (640, 360), (320, 180),
        (1600, 1200), (1280, 960), (1024, 768), (800, 600), (640, 480), (320, 240),
    ].map { FrameSize(width: $0.0, height: $0.1) }
}
