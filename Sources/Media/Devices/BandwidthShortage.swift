/// Reason why a USB bus doesn't have enough bandwidth for a camera's stream: existing reservations, this
/// camera's request, and the largest reservation that would still fit.
///
/// A camera's *alternate setting* reserves bandwidth in bytes per microframe of 125 µs, even if the camera
/// sends less.
package struct BandwidthShortage: Sendable, Hashable {
    /// A share of a USB bus's bandwidth.
    package struct Share: Sendable, Hashable {
        /// Bandwidth in bytes per microframe of 125 µs.
        package let bytes: Int
        /// The share as a percentage of the bandwidth that the bus can allocate to all its devices.
        package let percent: Int

        /// Creates a share from bytes per microframe and their percentage of the allocatable bandwidth.
        package init(bytes: Int, percent: Int) {
            self.bytes = bytes
            self.percent = percent
        }
    }

    /// Bandwidth currently reserved by another device.
    package struct Claim: Sendable, Hashable {
        /// Readable name of the device, including the device node for a camera: `Studio Webcam
        /// (/dev/video0)`.
        package let device: String
        /// The program that uses the device; `nil` if unknown.
        package let holder: DeviceHolder?
        /// Share of the bus's bandwidth that the device reserves.
        package let share: Share

        /// Creates a claim and replaces unprintable characters in the device's name.
        package init(device: String, holder: DeviceHolder?, share: Share) {
            self.device = device.printable()
            self.holder = holder
            self.share = share
        }
    }

    /// PCI address of the USB controller, for example `0000:00:14.0`; `nil` if unknown.
    package let controller: String?
    /// Reservations of other devices, largest first.
    package let claims: [Claim]
    /// The smallest reservation that the camera may have requested; `nil` if unknown.
    package let requested: Share?
    /// The largest of the camera's possible reservations that would still fit into the available bandwidth;
    /// `nil` if none fits or the sizes are unknown.
    package let fitting: Share?
    /// Raw formats of the camera that fit into `fitting`, largest first, for example `yuyv 640x480 at 15`.
    package let fittingFormats: [String]
    /// PCI addresses of controllers that have a free port and no active streams.
    package let freeControllers: [String]

    /// Creates a description of a bandwidth shortage; omit values that are unknown.
    package init(
        controller: String?, claims: [Claim] = [], asked: Share? = nil, fitting: Share? = nil,
        fittingFormats: [String] = [], freeControllers: [String] = []
    ) {
        self.controller = controller
        self.claims = claims
        self.requested = asked
        self.fitting = fitting
        self.fittingFormats = fittingFormats
        self.freeControllers = freeControllers
    }
}

extension BandwidthShortage.Share {
    /// Creates the share for the bandwidth domain with the least capacity on a USB route. Returns `nil` if
    /// all domains of the route are unknown.
    ///
    /// - Parameters:
    ///   - reservation: The reserved bandwidth.
    ///   - speed: The speed of the device.
    ///   - domains: The bandwidth domains on the route from the controller to the device.
    package init?(_ reservation: USBReservation, at speed: USBSpeed, on domains: [USBDomain]) {
        let shares = domains.map { domain in
            Double(domain.time(of: reservation, at: speed).count) / Double(domain.budget.count)
        }
        guard let most = shares.max() else { return nil }
        self.init(bytes: reservation.bytes, percent: Int(rounding: most * 100))
    }
}

extension BandwidthShortage {
    /// Sentences that explain which devices are using the bandwidth, what the camera requested, and what to
    /// do.
    package var explanation: String {
        let place = controller.map { " \($0.printable())" } ?? ""
        let head =
            "the USB controller\(place) does not have enough free bandwidth for this device (disk space is not the problem)"
        return ([head + usageSummary] + [advice]).joined(separator: ". ") + "."
    }

    /// Part of the explanation that lists the reservations of other devices and this camera's request.
    private var usageSummary: String {
        var parts: [String] = []
        if !claims.isEmpty {
            let shown = claims.prefix(3).map { claim in
                let who = claim.holder.map { ", in use by \($0)," } ?? ""
                return "\(claim.device)\(who) reserves \(claim.share)"
            }
            let more = claims.count > 3 ? ["other devices reserve the rest of the bandwidth"] : []
            parts.append((shown + more).joined(separator: "; "))
        }
        if let requested { parts.append("this camera needs at least \(requested)") }
        return parts.isEmpty ? "" : ": " + parts.joined(separator: ", and ")
    }

    /// Last sentence of the explanation, without its period. The sentence recommends what to do.
    private var advice: String {
        let port =
            freeControllers.isEmpty
            ? "connect this camera to a port on another controller"
            : "connect this camera to a free port on controller \(freeControllers.prefix(2).map { $0.printable() }.joined(separator: " or "))"
        guard let fitting else {
            guard requested != nil else { return "Choose mjpeg or a smaller size, or \(port)" }
            return
                "None of the camera's formats fits in the remaining bandwidth: stop another camera, or \(port)"
        }
        let raw = fittingFormats.prefix(2).map { $0.printable() }.joined(separator: " or ")
        let choice =
            raw.isEmpty
            ? "Choose a smaller mjpeg size that needs at most \(fitting)"
            : "Choose \(raw), or an mjpeg size that needs at most \(fitting)"
        return "\(choice), or \(port)"
    }
}

extension BandwidthShortage.Share: CustomStringConvertible {
    /// The bandwidth share in readable form: `800 bytes per microframe (13 %)`.
    package var description: String { "\(bytes) bytes per microframe (\(percent) %)" }
}
