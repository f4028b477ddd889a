internal import FoundationEssentials
internal import Glibc
internal import MulticamContainers
package import MulticamInterchange
internal import MulticamMedia
internal import MulticamPlots
internal import MulticamProfiles
internal import MulticamSessionFolder

/// A printable one-page overview of a recording. The page shows frames of each camera at regular intervals,
/// with the markers and cuts between them.
package struct ContactSheet: Sendable {
    private let session: RecordedSession
    private let folder: String
    private let cut: Cut

    /// Maximum number of frame rows on the page.
    private static let rows: Int64 = 12
    /// Width of a thumbnail in pixels. At this width, thumbnails are sharp when four are printed side by
    /// side.
    private static let width = 320
    /// Possible intervals between rows, in seconds.
    private static let intervals: [Int64] = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200]
    /// Maximum number of markers and cuts listed between two rows.
    private static let mostLines = 8

    private static let style = """
        body { font: 12px/1.4 sans-serif; margin: 1.5em; color: #222; background: #fff }
        h1 { font-size: 18px; margin: 0 } table { border-collapse: collapse; width: 100%; margin-top: 1em }
        th, td { text-align: left; vertical-align: top; padding: 3px 6px 3px 0 } img { width: 100%; display: block }
        .time { white-space: nowrap; font-variant-numeric: tabular-nums; width: 5em } .notes { color: #555; width: 16em }
        .marker { color: #8c1d0a; font-weight: bold } tr { break-inside: avoid }
        @page { margin: 12mm } @media print { body { margin: 0; font-size: 9px } }
        """

    /// Creates the contact sheet of a recording. `folder` is the path of the session folder.
    package init(of session: RecordedSession, in folder: String, cut: Cut) {
        self.session = session
        self.folder = folder
        self.cut = cut
    }

    /// Writes the page to `report/contact.html` and replaces an existing file. This method blocks while it
    /// decodes several dozen frames, so don't call it from a Swift task.
    ///
    /// - Returns: Path of the HTML file.
    /// - Throws: `RenderError` if the page can't be written or memory allocation fails. Frames that can't be
    ///   read are replaced with slates.
    package func write() throws(RenderError) -> String {
        do {
            let page = HTML.page(title: session.title, style: Self.style, body: try body())
            try SessionFolder.write(Data(page.utf8), to: "report/contact.html", in: folder)
            return folder + "/report/contact.html"
        } catch {
            throw RenderError(error)
        }
    }

    /// Time from one row to the next.
    private var step: Nanoseconds {
        let length = Nanoseconds(session.duration.nanoseconds)
        let fits = Self.intervals.first { Nanoseconds.seconds($0) * Self.rows >= length }
        return fits.map { .seconds($0) } ?? length / Self.rows + .seconds(1)
    }

    private func body() throws -> [HTML] {
        let start = session.start
        let people = session.people.keys.sorted().compactMap { session.people[$0] }
        let facts = [
            "\(start.year)-\(Self.two(start.month))-\(Self.two(start.day)) \(Self.two(start.hour)):\(Self.two(start.minute))",
            Nanoseconds(session.duration.nanoseconds).displayText, people.joined(separator: ", "),
        ].filter { !$0.isEmpty }
        let stills = try session.angles.map { angle in
            let shot = Cut.Shot(
                first: 0, end: max(1, session.frameCount), cameras: [angle.role], layout: .single, reason: "")
            let upright = angle.parts.first?.size.map { angle.rotation.swapsSides ? $0.transposed : $0 }
            let size = PictureStill.size(upright ?? session.size, width: Self.width)
            return try PictureStill(
                RenderedPicture(
                    session, in: folder, cut: Cut(rate: session.rate, shots: [shot]), size: size))
        }
        let head = HTML.element(
            "tr", [:],
            [HTML.element("th", [:], "time")] + session.angles.map { HTML.element("th", [:], $0.role) }
                + [HTML.element("th", [:], "markers and cuts")])
        var rows = [head]
        let step = step.count
        for time in stride(from: Int64(0), to: max(1, session.duration.nanoseconds), by: Int(step)) {
            let tick = session.frame(at: MediaTime(nanoseconds: time))
            let images = try zip(session.angles, stills).map { angle, still in
                let jpeg = try still.jpeg(at: tick, width: Self.width)
                let label = "\(angle.role) at \(Self.clock(time))"
                return HTML.element(
                    "td", [:], [HTML.image(base64: Data(jpeg.bytes).base64EncodedString(), label: label)])
            }
            rows.append(
                HTML.element(
                    "tr", [:],
                    [HTML.element("td", ["class": "time"], Self.clock(time))] + images
                        + [HTML.element("td", ["class": "notes"], lines(in: time..<time + step))]))
        }
        return [
            HTML.element("h1", [:], session.title), HTML.element("div", [:], facts.joined(separator: " · ")),
            HTML.element("table", [:], rows),
        ]
    }

    /// Returns the markers and cuts in a time range, in order.
    private func lines(in range: Range<Int64>) -> [HTML] {
        let markers = session.markers.filter { range.contains($0.at_ns) }.map {
            (time: $0.at_ns, text: $0.text.isEmpty ? "marker" : $0.text, isMarker: true)
        }
        let cuts = cut.shots.compactMap { shot in
            let time = cut.rate.time(ofTick: shot.first).nanoseconds
            return range.contains(time)
                ? (time: time, text: shot.cameras.joined(separator: " + "), isMarker: false) : nil
        }
        let all = (markers + cuts).sorted { $0.time < $1.time }
        let lines = all.prefix(Self.mostLines).map { line in
            HTML.element(
                "div", line.isMarker ? ["class": "marker"] : [:],
                "\(Self.clock(line.time)) \(line.text.printable(limit: 100))")
        }
        let more = all.count - lines.count
        return lines + (more > 0 ? [HTML.element("div", [:], "and \(more) more")] : [])
    }

    /// Formats a time as `1:02:03`.
    private static func clock(_ nanoseconds: Int64) -> String {
        let seconds = nanoseconds / 1_000_000_000
        return "\(seconds / 3600):\(two(Int(seconds / 60 % 60))):\(two(Int(seconds % 60)))"
    }

    private static func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
}
