/// Why a USB bus has no room for a camera's stream: who keeps what of it, what this one asks for, and what would fit.
///
/// Bandwidth is kept by a camera's *alternate setting*, in bytes for each microframe of 125 µs, whether it sends them or not.
public struct BandwidthShortage: Sendable, Hashable {
    /// A part of a bus.
    public struct Share: Sendable, Hashable {
        /// In each microframe of 125 µs.
        public let bytes: Int
        /// Of what the bus may promise to all.
        public let percent: Int

        public init(bytes: Int, percent: Int) {
            self.bytes = bytes
            self.percent = percent
        }
    }

    /// What another device keeps now.
    public struct Claim: Sendable, Hashable {
        /// As a person reads it, with its node where it is a camera: `Studio Webcam (/dev/video0)`.
        public let device: String
        public let holder: DeviceHolder?
        public let share: Share

        public init(device: String, holder: DeviceHolder?, share: Share) {
            self.device = device.printable()
            self.holder = holder
            self.share = share
        }
    }

    /// `0000:00:14.0`.
    public let controller: String?
    /// The largest first.
    public let claims: [Claim]
    /// The smallest setting of the camera that it can have asked for.
    public let asked: Share?
    /// The largest setting of the camera that would still fit.
    public let fitting: Share?
    /// Raw formats of the camera that `fitting` carries, the largest first: `yuyv 640x480 at 15`.
    public let fittingFormats: [String]
    /// Controllers with a free port on which nothing streams.
    public let freeControllers: [String]

    public init(
        controller: String?, claims: [Claim] = [], asked: Share? = nil, fitting: Share? = nil,
        fittingFormats: [String] = [], freeControllers: [String] = []
    ) {
        self.controller = controller
        self.claims = claims
        self.asked = asked
        self.fitting = fitting
        self.fittingFormats = fittingFormats
        self.freeControllers = freeControllers
    }
}

extension BandwidthShortage.Share {
    /// Of the narrowest part of a way; `nil` where none is known.
    ///
    /// - Parameters:
    ///   - reservation: What is kept.
    ///   - speed: At which the device talks.
    ///   - domains: Its way.
    package init?(_ reservation: USBReservation, at speed: USBSpeed, on domains: [USBDomain]) {
        let shares = domains.map { domain in
            Double(domain.time(of: reservation, at: speed).count) / Double(domain.budget.count)
        }
        guard let most = shares.max() else { return nil }
        self.init(bytes: reservation.bytes, percent: Int(rounding: most * 100))
    }
}

extension BandwidthShortage {
    /// Who has the bandwidth, what was asked for, and what to do, in sentences.
    public var explanation: String {
        let place = controller.map { " \($0.printable())" } ?? ""
        let head = "the USB controller\(place) has no bandwidth left for it (this is not about disk space)"
        return ([head + account] + [advice]).joined(separator: ". ") + "."
    }

    private var account: String {
        var parts: [String] = []
        if !claims.isEmpty {
            let shown = claims.prefix(3).map { claim in
                let who = claim.holder.map { ", in use by \($0)," } ?? ""
                return "\(claim.device)\(who) keeps \(claim.share)"
            }
            let more = claims.count > 3 ? ["\(claims.count - 3) more keep the rest"] : []
            parts.append((shown + more).joined(separator: "; "))
        }
        if let asked { parts.append("this camera asks for at least \(asked)") }
        return parts.isEmpty ? "" : ": " + parts.joined(separator: ", and ")
    }

    private var advice: String {
        let port =
            freeControllers.isEmpty
            ? "move it to a port of another controller"
            : "move it to a port of the controller \(freeControllers.prefix(2).map { $0.printable() }.joined(separator: " or ")), which is free"
        guard let fitting else {
            guard asked != nil else { return "Choose mjpeg or a smaller size, or \(port)" }
            return "No format of it fits beside them: stop one of them, or \(port)"
        }
        let raw = fittingFormats.prefix(2).map { $0.printable() }.joined(separator: " or ")
        let choice =
            raw.isEmpty
            ? "Choose a smaller mjpeg size, for which it may ask for up to \(fitting)"
            : "Choose \(raw), or an mjpeg size for which it asks for up to \(fitting)"
        return "\(choice), or \(port)"
    }
}

extension BandwidthShortage.Share: CustomStringConvertible {
    public var description: String { "\(bytes) bytes a microframe (\(percent) %)" }
}
