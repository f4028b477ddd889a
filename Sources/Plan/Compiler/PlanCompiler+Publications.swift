internal import Media
internal import Profiles

extension PlanCompiler {
    /// Bits that a live encoder has for each pixel, where the profile names no bit rate: 2.8 Mbit/s for 1280×720 at 30.
    private static let usualBitsPerPixel = 0.1
    private static let bitrates = 300_000...100_000_000

    /// Plans the live outputs, whose addresses have been read.
    ///
    /// - Parameters:
    ///   - cameras: The plan's cameras.
    ///   - program: The plan's program, or `nil` for none.
    /// - Returns: The publications, in the profile's order.
    /// - Throws: `ProfileError` where an address was not read, or its kind cannot do what the profile wants of it.
    mutating func publications(
        cameras: [PlannedCamera], program: PlannedProgram?
    ) throws(ProfileError) -> [PlannedPublication] {
        var planned: [PlannedPublication] = []
        for publication in profile.publications {
            let field = "publish.\(publication.name)"
            guard case .given(let address) = publication.address else {
                throw profile.source.error(
                    at: "\(field).url_from", found: "an address that was not read",
                    expected: "a session's setup, which reads it")
            }
            if address.kind == .pulse, program?.mix.isEmpty ?? true {
                notes.append("\(publication.name): nothing is mixed, so there is nothing to be heard of it.")
                continue
            }
            if let fault = publication.fault(with: address.kind, profile.program) {
                throw profile.source.error(at: field, found: fault.found, expected: fault.expected)
            }
            planned.append(
                PlannedPublication(
                    name: publication.name, kind: address.kind, destination: address.printable,
                    source: publication.source, start: publication.start,
                    frames: try frames(of: publication, address.kind, cameras: cameras, program: program)))
            noteKey(of: publication, address)
        }
        return planned
    }

    private func frames(
        of publication: PublicationSettings, _ kind: DestinationAddress.Kind, cameras: [PlannedCamera],
        program: PlannedProgram?
    ) throws(ProfileError) -> PlannedPublication.Frames? {
        guard kind == .v4l2 || publication.hasOwnFrames else { return nil }
        guard
            var frames = PlannedPublication.Frames(
                asThoseOf: publication.source, cameras: cameras, program: program)
        else {
            throw profile.source.error(
                at: "publish.\(publication.name).of", found: "“\(publication.source)”",
                expected: ProfileValue.list([PublicationSettings.program] + cameras.map(\.role)))
        }
        frames.size = publication.size ?? frames.size
        frames.rate = publication.rate ?? frames.rate
        guard kind != .v4l2 else { return frames }
        let usual = Int(
            Int64(
                rounding: Double(frames.size.pixelCount) * frames.rate.perSecond * Self.usualBitsPerPixel
                    / 1e5))
        let bounded = min(max(usual * 100_000, Self.bitrates.lowerBound), Self.bitrates.upperBound)
        frames.bitrate = publication.bitrate ?? bounded
        return frames
    }

    /// Adds a note where a key stands in the profile's own text.
    private mutating func noteKey(of publication: PublicationSettings, _ address: DestinationAddress) {
        let hasKey =
            switch address.kind {
            case .rtmp: true
            case .srt: ["passphrase=", "streamid="].contains { address.text.contains($0) }
            case .whip, .v4l2, .pulse: false
            }
        guard hasKey, !publication.isKeptApart else { return }
        notes.append(
            "\(publication.name): the key in its address is seen by everybody who sees the profile; `url_from` keeps it in a file or a variable."
        )
    }
}
