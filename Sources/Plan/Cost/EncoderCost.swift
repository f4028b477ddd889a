internal import Media

/// The share of its hardware encoders that a plan needs, and the processor time that they still cost. Pure.
struct EncoderCost {
    /// One term for each hardware encoder that the plan uses.
    let terms: [HardwareCost.Term]
    /// One sentence for each encoder of the plan that has not been measured on the machine.
    let unknown: [String]
    /// Processor seconds that a second of recording takes for copying frames and for the driver, by owner.
    let processorTime: [String: Double]

    init(of plan: SessionPlan, on machine: MachineModel) {
        var terms: [HardwareCost.Term] = []
        var unknown: [String] = []
        var times: [String: Double] = [:]
        let streams = plan.encoders.filter { $0.settings.hardware != nil }
        let used = Set(streams.compactMap(\.settings.hardware)).sorted { $0.name < $1.name }
        for encoder in used {
            let own = streams.filter { $0.settings.hardware == encoder }
            // Two cards of one kind are told apart by their nodes.
            let isOnly = used.count { $0.library == encoder.library } == 1
            let name = isOnly ? encoder.library : "\(encoder.library):\(encoder.nodeName)"
            guard let figures = machine.encoders.first(where: { $0.encoder == encoder })?.figures else {
                unknown.append("encoder:\(name): what it can do has not been measured on this machine.")
                continue
            }
            var pixels: [String: Double] = [:]
            for (owner, settings) in own {
                pixels[owner, default: 0] += settings.pixelsPerSecond
                times[owner, default: 0] +=
                    settings.rate.perSecond
                    * figures.processor.nanoseconds(units: Double(settings.size.pixelCount)) / 1e9
            }
            terms.append(Self.term(name, pixels, figures))
        }
        self.terms = terms
        self.unknown = unknown
        processorTime = times
    }

    private static func term(
        _ name: String, _ pixels: [String: Double], _ figures: EncoderFigures
    ) -> HardwareCost.Term {
        let sustained = max(figures.pixelsPerSecond, 1)
        let needed = pixels.sorted { $0.key < $1.key }.reduce(0) { $0 + $1.value }
        let words =
            "\(HardwareCost.rounded(needed / 1e6)) million pixels a second, of "
            + "\(HardwareCost.rounded(sustained / 1e6)) million that it sustains; "
            + "\(pixels.count) of \(figures.streams) streams that it was tried with."
        return HardwareCost.Term(
            resource: "encoder:\(name)", used: needed / sustained,
            parts: HardwareCost.parts(pixels, of: sustained), explanation: words)
    }
}

extension HardwareEncoder {
    /// The last part of the encoder's device node: `renderD128`.
    var nodeName: String { (node.split(separator: "/").last.map(String.init) ?? node).printable() }
}
