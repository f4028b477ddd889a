/// Why a USB bus has no room for a camera's stream: who reserves how much of it, what this camera asks for, and what would
/// fit.
///
/// A camera's *alternate setting* reserves bandwidth, in bytes for each microframe of 125 µs, whether it sends them or not.
public struct BandwidthShortage: Sendable, Hashable {
    /// A part of a bus's bandwidth.
    public struct Share: Sendable, Hashable {
        /// Bytes in each microframe of 125 µs.
        public let bytes: Int
        /// Percentage of the bandwidth that the bus may promise to all its devices.
        public let percent: Int

        /// Makes a share from bytes a microframe and their percentage of what the bus may promise.
        public init(bytes: Int, percent: Int) {
            self.bytes = bytes
            self.percent = percent
        }
    }

    /// The bandwidth that another device reserves now.
    public struct Claim: Sendable, Hashable {
        /// The device as a person reads it, with its node where it is a camera: `Studio Webcam (/dev/video0)`.
        public let device: String
        /// The program that uses the device; `nil` where that is not known.
        public let holder: DeviceHolder?
        /// The part of the bus that the device reserves.
        public let share: Share

        /// Makes a claim, and makes the device's name printable.
        public init(device: String, holder: DeviceHolder?, share: Share) {
            self.device = device.printable()
            self.holder = holder
            self.share = share
        }
    }

    /// The PCI address of the USB controller, for example `0000:00:14.0`; `nil` where it is not known.
    public let controller: String?
    /// The reservations of other devices, the largest first.
    public let claims: [Claim]
    /// The smallest reservation that the camera can have asked for; `nil` where it is not known.
    public let asked: Share?
    /// The largest of the camera's reservations that would still fit; `nil` where none does, or it is not known.
    public let fitting: Share?
    /// Raw formats of the camera that `fitting` carries, the largest first: `yuyv 640x480 at 15`.
    public let fittingFormats: [String]
    /// PCI addresses of controllers with a free port on which nothing streams.
    public let freeControllers: [String]

    /// Makes a shortage; leave out what is not known.
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
    /// The share of the narrowest part of a route through the USB; `nil` where no part is known.
    ///
    /// - Parameters:
    ///   - reservation: The reserved bandwidth.
    ///   - speed: The speed of the device.
    ///   - domains: The route, from the controller to the device.
    package init?(_ reservation: USBReservation, at speed: USBSpeed, on domains: [USBDomain]) {
        let shares = domains.map { domain in
            Double(domain.time(of: reservation, at: speed).count) / Double(domain.budget.count)
        }
        guard let most = shares.max() else { return nil }
        self.init(bytes: reservation.bytes, percent: Int(rounding: most * 100))
    }
}

extension BandwidthShortage {
    /// Sentences that say who has the bandwidth, what was asked for, and what to do.
    public var explanation: String {
        let place = controller.map { " \($0.printable())" } ?? ""
        let head = "the USB controller\(place) has no bandwidth left for it (this is not about disk space)"
        return ([head + account] + [advice]).joined(separator: ". ") + "."
    }

    /// The reservations of others and the camera's own demand, as the middle of the explanation.
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

    /// The last sentence of the explanation, without its full stop: what to do.
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
    /// The share as a person reads it: `800 bytes a microframe (13 %)`.
    public var description: String { "\(bytes) bytes a microframe (\(percent) %)" }
}
